package engine

import (
	"context"
	"testing"

	"dscope.dev/engine/trace"
)

// TestWatchedRunKeepsOutput runs a script as the workbench does: its commands run,
// and what they write is part of the run.
func TestWatchedRunKeepsOutput(t *testing.T) {
	e := tracing(t)
	run, err := e.Run(context.Background(), trace.Script{Text: "#pragma D option destructive\n" +
		`BEGIN { printf("a"); system("echo %d of %s", 7, probename); freopen("/nowhere/at/all"); setopt("bufsize", "1m"); exit(3); }`})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	o := all(run, 0)
	if o.status.State != trace.Done || o.status.Exit != 3 {
		t.Errorf("ended %v with %d: %v", o.status.State, o.status.Exit, o.status.Err)
	}
	var items []trace.Item
	for _, ev := range o.events {
		items = append(items, ev.Items...)
	}
	kinds := []trace.ItemKind{trace.PrintfItem, trace.SystemItem, trace.FreopenItem, trace.WarnItem, trace.EmptyItem}
	if len(items) != len(kinds) {
		t.Fatalf("%d items, want %d: %+v", len(items), len(kinds), items)
	}
	for i, k := range kinds {
		if items[i].Kind != k {
			t.Errorf("item %d has kind %d, want %d", i, items[i].Kind, k)
		}
	}
	if items[1].Text != "echo 7 of BEGIN" || items[1].Rest().Output != "7 of BEGIN\n" {
		t.Errorf("the command %q wrote %q", items[1].Text, items[1].Rest().Output)
	}
}
