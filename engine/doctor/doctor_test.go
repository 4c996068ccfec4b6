package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"dscope.dev/engine"
	"dscope.dev/probes/kernel"
)

func TestReason(t *testing.T) {
	for _, tt := range []struct {
		err         error
		why, remedy string
	}{
		{fmt.Errorf("read: %w", &kernel.Missing{What: "tracefs", Why: "it is not there", Remedy: "mount it"}), "it is not there", "mount it"},
		{fmt.Errorf("load: %w", engine.ErrPrivileges), "load: " + engine.ErrPrivileges.Error(), asRoot},
		{&fs.PathError{Op: "open", Path: "/x", Err: fs.ErrPermission}, "open /x: permission denied", asRoot},
		{errors.New("nothing hooks functions (use a kernel that is built with all that it takes)"), "nothing hooks functions",
			"use a kernel that is built with all that it takes"},
		{errors.New("no such thing (ENOENT)"), "no such thing (ENOENT)", "use a kernel of Debian"},
	} {
		why, remedy := reason(tt.err)
		if why != tt.why || !strings.HasPrefix(remedy, tt.remedy) {
			t.Errorf("reason(%v) = %q, %q", tt.err, why, remedy)
		}
	}
}

func TestPrint(t *testing.T) {
	r := &Report{System: "Linux 6.1", Sections: []Section{{titleHooks, []Finding{
		{Name: "clock", OK: true, Use: "profile, tick", More: []string{"10 ns"}},
		{Name: "kprobe", Use: "functions of the kernel one by one, where nothing cheaper can be had for them at all",
			Why: "this kernel has none", Remedy: "use one that has"},
	}}}}
	for _, all := range []bool{false, true} {
		var b strings.Builder
		if err := r.Print(&b, all); err != nil {
			t.Fatal(err)
		}
		more := ""
		if all {
			more = "               - 10 ns\n"
		}
		want := "Linux 6.1\n\nHooks\n  yes  clock   profile, tick\n" + more +
			"  no   kprobe  functions of the kernel one by one, where nothing cheaper can be\n" +
			"               had for them at all\n" +
			"               why: this kernel has none\n" +
			"               remedy: use one that has\n"
		if b.String() != want {
			t.Errorf("printed\n%s\nwant\n%s", b.String(), want)
		}
	}
}

func TestHealthy(t *testing.T) {
	for _, tt := range []struct {
		title   string
		finding Finding
		want    bool
	}{
		{titleProviders, Finding{Name: "fbt"}, false},
		{titleProviders, Finding{Name: "fbt", OK: true}, true},
		{titlePrivileges, Finding{Name: programs}, false},
		{titlePrivileges, Finding{Name: "CAP_SYSLOG"}, true},
		{titleHooks, Finding{Name: "kprobe"}, true}, // there may be a second way
	} {
		r := &Report{Sections: []Section{{tt.title, []Finding{tt.finding}}}}
		if got := r.Healthy(); got != tt.want {
			t.Errorf("%s %+v: healthy is %v", tt.title, tt.finding, got)
		}
	}
}
