package helper

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"user ada own", "user ada own"},
		{"user ada,4242 user", "user ada,4242 user"},
		{"group wheel kernel destructive", "group wheel kernel destructive"},
		{"group wheel destructive kernel # why not", "group wheel kernel destructive"},
		{"all nothing", "all nothing"},
		{"all own cost=5% runs=2 memory=1g providers=syscall,pid*", "all own providers=syscall,pid* cost=5% runs=2 memory=1024m"},
		{"all own memory=2048k", "all own memory=2m"},
		{"\tall\town\r", "all own"},
	} {
		r, err := Parse("conf", strings.NewReader("# rules\n\n"+tt.line+"\n"))
		if err != nil {
			t.Errorf("%q: %v", tt.line, err)
			continue
		}
		if len(r.List) != 1 || r.List[0].Line != 3 || r.List[0].String() != tt.want {
			t.Errorf("%q is %q of line %d", tt.line, r.List[0].String(), r.List[0].Line)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"all own\nusr ada own", "conf:2: a rule begins with user, group or all, and not with \"usr\"; did you mean user?"},
		{"user", "conf:1: user of whom?"},
		{"user ada", "conf:1: a right is missing"},
		{"user ada, bob own", "conf:1: user ada,: a name is missing"},
		{"all", "conf:1: a right is missing"},
		{"all kernal", "did you mean kernel?"},
		{"all runs own", "did you mean runs=?"},
		{"all own own", "own stands twice"},
		{"all own runs=1 runs=2", "runs stands twice"},
		{"all own nothing", "nothing stands alone"},
		{"all nothing destructive", "nothing stands alone"},
		{"all destructive", "destructive goes with own, user or kernel"},
		{"all runs=1", "a right is missing"},
		{"all own runs=0", "it takes a number"},
		{"all own runs=-1", "it takes a number"},
		{"all own cost=many", "it takes a share"},
		{"all own cost=0%", "it takes a share"},
		{"all own memory=1k", "it takes a size of 1m or more"},
		{"all own memory=99999999999g", "it takes a size"},
		{"all own providers=", "a name is missing"},
		{"all own provider=pid", "did you mean providers?"},
		{"all own\x00", "there is no right"},
	} {
		_, err := Parse("conf", strings.NewReader(tt.text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %s", tt.text, err, tt.want)
		}
	}
}

// TestOf holds that the first rule counts that names somebody, and that nobody but root may
// do anything whom no rule names.
func TestOf(t *testing.T) {
	const text = `user mallory nothing
user ada,7 user
group wheel kernel destructive
group 500 own runs=3
`
	rules, err := Parse("conf", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		who  Asker
		want string // rights, and where they come from
	}{
		{Asker{UID: 0, User: "root"}, "kernel destructive: root needs no rule"},
		{Asker{UID: 5, User: "ada", Groups: []string{"wheel"}}, "user: conf:2: user ada"},
		{Asker{UID: 7}, "user: conf:2: user 7"},
		{Asker{UID: 5, User: "mallory", Groups: []string{"wheel"}}, "nothing: conf:1: user mallory"},
		{Asker{UID: 5, User: "bob", Groups: []string{"bob", "wheel"}}, "kernel destructive: conf:3: group wheel"},
		{Asker{UID: 5, User: "bob", Groups: []string{"500"}}, "own: conf:4: group 500"},
		{Asker{UID: 5, User: "bob"}, "nothing: conf: no rule names bob"},
		{Asker{UID: 500, User: "wheel", Groups: []string{"ada", "7"}}, "nothing: conf: no rule names wheel"}, // names of another kind
		{Asker{UID: 5}, "nothing: conf: no rule names user 5"},
	} {
		r := rules.Of(&tt.who)
		if got := r.Words() + ": " + r.Source; got != tt.want || r.UID != tt.who.UID {
			t.Errorf("%+v: got %s", tt.who, got)
		}
	}
}

// TestLoad holds that without rules only root may trace, and that files are not believed
// which others than root could have written.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	rules, err := Load(filepath.Join(dir, "none"))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []Asker{{UID: 5}, {UID: 5, Groups: []string{"dscope", "root", "0", "wheel"}}} {
		if r := rules.Of(&a); !r.None() || r.Destructive {
			t.Errorf("without a file %+v has %s", a, r.Words())
		}
	}
	if rules.Of(&Asker{}).None() {
		t.Error("without a file root has nothing")
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can make a file of root's")
	}
	path := filepath.Join(dir, "conf")
	write := func(mode os.FileMode, owner int) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path, []byte("all own\n"), 0o600), os.Chmod(path, mode), os.Chown(path, owner, 0)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		mode  os.FileMode
		owner int
		want  string
	}{
		{0o644, 0, ""}, {0o600, 0, ""}, {0o664, 0, "may write"}, {0o646, 0, "may write"}, {0o644, 1000, "belongs to user 1000"},
	} {
		write(tt.mode, tt.owner)
		if _, err := Load(path); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v of user %d: got %v", tt.mode, tt.owner, err)
		}
	}
	if _, err := Load(dir); err == nil {
		t.Error("a folder is believed")
	}
	write(0o644, 0)
	if err := os.WriteFile(path, []byte(strings.Repeat("#", mostRules)+"\nall own\n"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil {
		t.Error("a file is read in part")
	}
}

// FuzzParse holds that rules are read or complained of, by line, and that a rule means the
// same when it is written as it is shown.
func FuzzParse(f *testing.F) {
	f.Add("user ada,grace user providers=syscall,pid* cost=10% runs=4 memory=64m\n")
	f.Add("# who\n\ngroup wheel kernel destructive\nall nothing\n")
	f.Add("all own cost=off memory=1g\nuser mallory nothing")
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := Parse("conf", strings.NewReader(text))
		if err != nil {
			var syntax *SyntaxError
			if len(text) <= mostRules && (!errors.As(err, &syntax) || syntax.Line < 1) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for i := range rules.List {
			rule := &rules.List[i]
			again, err := Parse("conf", strings.NewReader(rule.String()))
			if err != nil || len(again.List) != 1 {
				t.Fatalf("%q: %v", rule.String(), err)
			}
			if got := again.List[0].String(); got != rule.String() {
				t.Fatalf("%q is then %q", rule.String(), got)
			}
			if r := rule.Rights; r.Kernel && !r.User || r.User && !r.Own || r.None() && r.Destructive {
				t.Fatalf("%q: %+v", rule.String(), r)
			}
		}
	})
}
