package engine

import (
	"context"
	"strings"

	"dscope.dev/dlang/complete"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
	"dscope.dev/probes/user"
)

// mostCompletions bounds a list that a person is to choose from.
const mostCompletions = 200

// Complete returns what could stand at the byte offset at of a script, and
// where the word that it would replace begins.
func (e *Engine) Complete(ctx context.Context, s trace.Script, at int) (from int, list []trace.Completion) {
	return e.CompleteIn(ctx, Script{Name: "script", Text: s.Text, Target: s.Target, Args: s.Args}, at)
}

// CompleteIn is Complete for a script as a command line has it. at is an offset of the text
// as the compiler reads it, which a preprocessor may have made.
func (e *Engine) CompleteIn(ctx context.Context, s Script, at int) (from int, list []trace.Completion) {
	defer func() {
		if recover() != nil {
			from, list = at, nil // nothing is offered; what the checker has to say, it says itself
		}
	}()
	f := s.File
	if f == nil {
		f = token.NewFile(s.Name, s.Text)
	}
	if from, list, ok := completeFile(s.Name, f.Src[:max(0, min(at, len(f.Src)))]); ok {
		return from, list
	}
	v := &env{e: e, ctx: ctx}
	tree, _ := v.parse(f, nil)
	from, found := complete.At(f, tree, v, s.macros(), at)
	for _, c := range found {
		if c.Kind == complete.Probe {
			list = append(snippets(c.Text), e.CompleteProbe(ctx, c.Text, s.Target, mostCompletions)...)
			continue
		}
		list = append(list, trace.Completion{Text: c.Text, Detail: c.Detail, Kind: completionKinds[c.Kind]})
	}
	return from, list[:min(len(list), mostCompletions)]
}

var completionKinds = map[complete.Kind]trace.CompletionKind{
	complete.Variable: trace.CompleteVariable, complete.Function: trace.CompleteFunction,
	complete.Member: trace.CompleteMember, complete.Aggregation: trace.CompleteAggregation,
	complete.Keyword: trace.CompleteKeyword, complete.Type: trace.CompleteType,
	complete.Option: trace.CompleteOption,
}

// CompleteProbe completes a description of a probe that has been begun, by up to most that it
// could become. Its last part is a prefix; the description is carried on to the end of that and
// no further, so that lists stay short.
func (e *Engine) CompleteProbe(ctx context.Context, typed string, target, most int) []trace.Completion {
	parts := strings.Split(typed, ":")
	if len(parts) > 4 {
		return nil
	}
	depth := len(parts) - 1
	meant := expandTarget(parts[0], target)
	if depth > 0 && functionsProvider(meant) > 0 {
		return e.completeFunction(ctx, functionsProvider(meant), parts)
	}
	pids := e.completePID(ctx, parts, target)
	if depth == 0 && strings.HasPrefix(parts[0], user.Name) {
		return pids // a glob of them would read the functions of every process
	}
	pat := [4]string{}
	copy(pat[:], parts)
	pat[0] = meant
	pat[depth] = globEscape(parts[depth]) + "*"
	entries, err := e.registry.Match(ctx, probes.Pattern{Provider: pat[0], Module: pat[1], Function: pat[2], Name: pat[3]})
	if err != nil {
		return pids
	}
	list := pids
	seen, last := map[string]bool{}, ""
	for i := range entries {
		part := probes.Part(depth).Of(&entries[i].Probe)
		if i > 0 && part == last || seen[part] { // neighbours often share one
			continue
		}
		seen[part], last = true, part
		next := strings.Join(append(parts[:depth:depth], part), ":")
		if depth < 3 {
			next += ":"
		}
		list = append(list, trace.Completion{Text: next, Detail: entries[i].String(), Kind: trace.CompleteProbe})
		if len(list) >= most {
			break
		}
	}
	return list
}

// globEscape makes what was typed stand for itself in a pattern, but for the
// globs that were meant.
func globEscape(s string) string { return strings.ReplaceAll(s, `\`, `\\`) }
