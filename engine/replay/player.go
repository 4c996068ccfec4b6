package replay

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// A Player plays a recording. It serves the workbench as the tracer does: it
// lists and describes the probes that were recorded, checks what a parser can
// check, and runs the scripts whose runs it holds.
type Player struct {
	Header    Header
	Speed     float64       // 2 plays twice as fast; 0 is 1; an infinite one waits for the reader alone, and skips nothing
	From      time.Duration // of a run that is played, what came before is left out
	probes    []trace.Probe
	providers []trace.ProviderInfo
	infos     map[trace.Probe]trace.ProbeInfo
	runs      []*recorded
	broken    error  // why the recording ends early
	kept      uint64 // bytes of what is known of the machine, and of scripts
	unread    uint32 // the run whose beginning could not be read; 0 is none
	source    *io.SectionReader
	close     func() error // nil if there is nothing to close
}

// Close gives back the file. What plays ends there.
func (p *Player) Close() error {
	if p.close == nil {
		return nil
	}
	return p.close()
}

func newPlayer() *Player {
	return &Player{infos: map[trace.Probe]trace.ProbeInfo{}}
}

// Scripts returns the scripts whose runs are recorded, in order.
func (p *Player) Scripts() []string {
	var out []string
	for _, r := range p.runs {
		out = append(out, r.script)
	}
	return out
}

// Play plays a run, counted from 0 as Scripts has them.
func (p *Player) Play(n int) trace.Run { return p.play(p.runs[n], p.From) }

// PlayFrom plays a run from a moment on: it begins with the state in which the run was
// then. What was printed before is left out.
func (p *Player) PlayFrom(n int, from time.Duration) trace.Run { return p.play(p.runs[n], from) }

// Length returns how long a run lasted, as far as it is recorded.
func (p *Player) Length(n int) time.Duration { return p.runs[n].length }

// Broken says what is wrong with the recording; nil if nothing is known to be. What stands
// before that plays.
func (p *Player) Broken() error { return p.broken }

// Check returns the complaints of the parser. Types and probes were of the
// machine that recorded.
func (p *Player) Check(_ context.Context, s trace.Script) diag.List {
	_, list := parser.Parse(token.NewFile("script", s.Text))
	return list
}

// completions bounds what Complete returns.
const completions = 100

// Complete offers the names of recorded probes.
func (p *Player) Complete(_ context.Context, s trace.Script, at int) (int, []trace.Completion) {
	script := s.Text
	at = min(max(at, 0), len(script))
	from := at
	for from > 0 && !strings.ContainsRune(" \t\n\r,{}()/;", rune(script[from-1])) {
		from--
	}
	word := script[from:at]
	if word == "" || strings.ContainsAny(word, "@$\"'") {
		return from, nil
	}
	var out []trace.Completion
	for _, probe := range p.probes {
		if len(out) == completions {
			break
		}
		if name := probe.String(); strings.HasPrefix(name, word) {
			out = append(out, trace.Completion{Text: name, Detail: "probe", Kind: trace.CompleteProbe})
		}
	}
	return from, out
}

// Probes returns the recorded probes that pattern covers.
func (p *Player) Probes(ctx context.Context, pattern string) ([]trace.Probe, []trace.ProviderInfo, error) {
	if pattern == "" {
		return p.probes, p.providers, nil
	}
	parts := strings.Split(pattern, ":")
	if len(parts) > 4 {
		return nil, nil, fmt.Errorf("probe description %s has more than four parts", pattern)
	}
	parts = append(make([]string, 4-len(parts)), parts...)
	var out []trace.Probe
	for i, probe := range p.probes {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if glob(parts[0], probe.Provider) && glob(parts[1], probe.Module) && glob(parts[2], probe.Function) && glob(parts[3], probe.Name) {
			out = append(out, probe)
		}
	}
	return out, p.providers, nil
}

// glob reports whether s matches; an empty pattern matches anything. Slashes
// are letters like others.
func glob(pattern, s string) bool {
	if pattern == "" {
		return true
	}
	plain := strings.NewReplacer("/", "\x00")
	ok, err := path.Match(plain.Replace(pattern), plain.Replace(s))
	return ok && err == nil
}

// Describe returns what was recorded of a probe.
func (p *Player) Describe(_ context.Context, probe trace.Probe) (trace.ProbeInfo, error) {
	if i, ok := p.infos[probe]; ok {
		return i, nil
	}
	if !slices.Contains(p.probes, probe) {
		return trace.ProbeInfo{}, fmt.Errorf("describe %s: not in the recording", probe)
	}
	return trace.ProbeInfo{Probe: probe, Help: "its arguments were not recorded"}, nil
}

// Run plays the run of a script, whatever was asked for beside its text. A script that
// was run several times plays the last of its runs.
func (p *Player) Run(ctx context.Context, s trace.Script) (trace.Run, error) {
	f := token.NewFile("script", s.Text)
	if _, list := parser.Parse(f); list.Failed() {
		return nil, &diag.ListError{File: f, List: list}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, r := range slices.Backward(p.runs) {
		if same(r.script, s.Text) {
			return p.play(r, p.From), nil
		}
	}
	return nil, fmt.Errorf("this is a recording: it holds no run of this script, only of %s", p.held())
}

// same reports whether two scripts differ in white space at most.
func same(a, b string) bool {
	return strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "")
}

// held names the recorded scripts by their first lines.
func (p *Player) held() string {
	var out []string
	for _, s := range p.Scripts() {
		line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
		out = append(out, fmt.Sprintf("%q", line))
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}
