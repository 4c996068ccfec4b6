package engine

import (
	"context"
	"strings"
	"testing"

	"dscope.dev/engine/internal/options"
	"github.com/cilium/ebpf/asm"
)

// TestHowStacksAreWalked reads what -v says of it, also where the kernel refuses
// programs that walk by tables.
func TestHowStacksAreWalked(t *testing.T) {
	needTables(t)
	e := tracing(t)
	const text = `syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); }`
	for _, tt := range []struct {
		name, text, want string
		set              string
		spoil            func(c *Compiled)
	}{
		{name: "tables", text: text, want: "by the tables of their programs"},
		{name: "option", text: text, set: "nounwind", want: "by frame pointers, as the option nounwind asks"},
		{name: "none", text: `syscall::getppid:entry { @[stack()] = count(); }`},
		{name: "BEGIN", text: `BEGIN { ustack(); }`},
		{name: "refused", text: text, want: "by frame pointers, because with tables the kernel refused the program: R0 !read_ok", spoil: func(c *Compiled) {
			for _, p := range c.plan.Object.Spec.Programs {
				p.Instructions = asm.Instructions{asm.Return()}
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := options.Default()
			if tt.set != "" {
				if err := o.Set(tt.set, ""); err != nil {
					t.Fatal(err)
				}
			}
			c, err := e.Compile(context.Background(), Script{Name: "script", Text: tt.text, Options: o})
			if err != nil {
				t.Fatal(err)
			}
			if tt.spoil != nil {
				tt.spoil(c)
			}
			s, err := c.Start(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			got := ""
			for _, line := range s.Hooks() {
				if _, how, ok := strings.Cut(line, "stacks of processes: "); ok {
					got = how
				}
			}
			if got != tt.want {
				t.Errorf("stacks of processes: %q, want %q, in\n%s", got, tt.want, strings.Join(s.Hooks(), "\n"))
			}
		})
	}
}
