// Package snippet has the few pieces of D that people write again and again, whole.
package snippet

import "strings"

// A Snippet is a text by a word.
type Snippet struct {
	Name string // what is typed for it
	Help string
	Text string // laid out as D is written
}

// All are offered where a clause may begin: what one would else look up.
var All = []Snippet{
	{"latency", "how long each call takes: a pair of clauses", `syscall::read:entry
{
	self->start = timestamp;
}

syscall::read:return
/self->start/
{
	@[execname] = quantize(timestamp - self->start);
	self->start = 0;
}
`},
	{"skeleton", "a whole script: BEGIN, a probe, an interval, END", `BEGIN
{
	start = timestamp;
}

syscall:::entry
{
	@[execname] = count();
}

tick-1s
{
	printa(@);
	trunc(@);
}

END
{
	printf("%d ms\n", (timestamp - start) / 1000000);
}
`},
	{"stacks", "where the CPUs are, by stack of the kernel", `profile-97
/arg0/
{
	@[stack()] = count();
}
`},
}

// For returns those whose word begins with what was typed, none if that is nothing.
func For(typed string) (list []Snippet) {
	for _, s := range All {
		if typed != "" && strings.HasPrefix(s.Name, typed) {
			list = append(list, s)
		}
	}
	return list
}
