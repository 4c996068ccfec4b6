package usdt

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

func TestGrows(t *testing.T) {
	r := probes.NewRegistry(over("/nowhere"))
	for text, want := range map[string][]int{
		"shop*:::": {0}, "*:::": {0}, "shop12:::": {12, 2}, "shop[12]:::": nil, "s*2:::": nil, `shop\*:::`: nil, "shop:::": nil,
		":::": nil, "::f:": {7},
	} {
		pat, err := probes.ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Grows(pat, []int{7}); !slices.Equal(got, want) {
			t.Errorf("%s grows in %v, want %v", text, got, want)
		}
	}
}

func TestArrived(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "shop"), native().bytes())
	root := proc{t, filepath.Join(dir, "proc")}
	root.maps(12, path)
	p := over(root.dir)
	code, err := space.Process{Proc: root.dir, PID: 12}.Code()
	if err != nil || len(code) != 1 {
		t.Fatal(code, err)
	}
	for _, tt := range []struct {
		text string
		as   int
		want string
	}{
		{"shop*:::sale-done", 0, "shop*:shop 0"},
		{"*:shop::sale-done", 0, "shop*:shop 0"},
		{"shop12:::sale-done", 0, "shop12:shop 12"},
		{"shop2:::sale-done", 0, ""},
		{"shop7:::sale-done", 7, "shop7:shop 7"},
		{"shop*:other::sale-done", 0, ""},
		{"hop*:::sale-done", 0, ""},
		{"sale-done", 0, "shop12:shop 12"}, // of a process that is followed
	} {
		pat, _ := probes.ParsePattern(tt.text)
		list, err := p.Arrived(pat, probes.Arrival{PID: 12, File: code[0], As: tt.as})
		got := ""
		for _, s := range list {
			got = fmt.Sprintf("%s:%s %d", s.Probe.Provider, s.Probe.Module, s.Hook.PID)
		}
		if got != tt.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", tt.text, got, err, tt.want)
		}
	}
	gone := code[0]
	gone.Path += ".gone"
	if _, err := p.Arrived(probes.Pattern{Provider: "shop*"}, probes.Arrival{PID: 12, File: gone}); err == nil {
		t.Error("a file that is gone is not told")
	}
	found := space.Found{Path: path + ".gone"} // after it was found
	if list, err := p.arrived(probes.Pattern{Provider: "shop*"}, probes.Arrival{PID: 12, File: code[0]}, "shop", found); !space.Gone(err) {
		t.Errorf("a file that went away before it was read: %v, %v", list, err)
	}
	damaged := write(t, filepath.Join(dir, "damaged"), []byte("\x7fELF"))
	root.maps(13, damaged)
	code, _ = space.Process{Proc: root.dir, PID: 13}.Code()
	if list, err := p.Arrived(probes.Pattern{Provider: "shop*"}, probes.Arrival{PID: 13, File: code[0]}); len(list) > 0 || err != nil {
		t.Errorf("a damaged file: %v, %v", list, err)
	}
}
