package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/browser"
	"dscope.dev/ui/datum"
)

// trial is what is run to count firings: little is kept, nothing is printed, and it ends by
// itself, or by the air bag.
const trial = `#pragma D option quiet
#pragma D option airbag=20%%
#pragma D option estimate=off
#pragma D option examples=0
#pragma D option aggsize=256k
%s { @[execname] = count(); } tick-1s { exit(0); }`

// try counts how often probes fire, in a run of its own that is shown nowhere else.
func (m *Model) try(msg browser.TryMsg) tea.Cmd {
	script := m.script(fmt.Sprintf(trial, msg.Pattern))
	back, open := m.back, m.open
	return func() tea.Msg {
		got := browser.TriedMsg{ID: msg.ID}
		got.Names, got.Lost, got.Err = count(msg.Ctx, back, open, script)
		var list *diag.ListError
		if errors.As(got.Err, &list) && len(list.List) > 0 {
			got.Err = errors.New(list.List[0].Msg)
		}
		return got
	}
}

// count runs a trial to its end.
func count(ctx context.Context, back Backend, open *runs, script trace.Script) (names []browser.Tried, lost uint64, err error) {
	run, err := back.Run(ctx, script)
	if err != nil {
		return nil, 0, err
	}
	if !open.add(run) {
		return nil, 0, run.Close()
	}
	stop := context.AfterFunc(ctx, run.Stop)
	defer stop()
	var last trace.Snapshot
	var status trace.Status
	snaps, events, states := run.Snapshots(), run.Events(), run.Status()
	for snaps != nil || events != nil || states != nil {
		select {
		case s, ok := <-snaps:
			if !ok {
				snaps = nil
				break
			}
			last = s
		case _, ok := <-events:
			if !ok {
				events = nil
			}
		case s, ok := <-states:
			if !ok {
				states = nil
				break
			}
			status = s
		}
	}
	if status.State == trace.Failed {
		err = status.Err
	}
	for _, t := range last.Aggs {
		for _, r := range t.Rows {
			var name []string
			for _, k := range r.Keys {
				name = append(name, datum.Text(k))
			}
			names = append(names, browser.Tried{Name: strings.Join(name, " "), N: r.Value})
		}
	}
	slices.SortFunc(names, func(a, b browser.Tried) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
	return names, datum.Drops(status.Drops), errors.Join(err, open.close(run))
}
