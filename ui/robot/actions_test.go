package robot_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"dscope.dev/themes"
	"dscope.dev/ui"
	"dscope.dev/ui/keymap"
)

// elsewhere are the actions that no robot asks for, each with the test that does, or the
// reason.
var elsewhere = map[string]string{
	"probes.argument list.close": arguments, "probes.argument list.up": arguments,
	"probes.process list.take": processes, "probes.process list.close": processes, "probes.process list.up": processes,
	"probes.process list.down": processes, "probes.process list.pageup": processes, "probes.process list.pagedown": processes,
	"history list.take": histories, "history history.run": histories, "history list.close": histories, "history list.up": histories,
	"history list.down": histories, "history list.pageup": histories, "history list.pagedown": histories,
	"always hosts.open": fleets, "hosts hosts.key": fleets, "hosts list.close": fleets, "hosts list.up": fleets, "hosts list.down": fleets,
	"hosts list.pageup": fleets, "hosts list.pagedown": fleets,
}

const (
	arguments = "a recording has no probes of several arguments; the tests of ui/browser open the list, and it moves as others do"
	processes = "a recording has no processes; the tests of ui/browser open, take and close the list, and it moves as others do"
	fleets    = "a recording of one machine has no hosts; TestHosts of ui opens, narrows and closes the list, and it moves as others do"
	histories = "a robot has no place to remember runs in; TestHistory of ui opens, takes, runs and closes, and the list moves as others do"
)

// TestEveryAction plays all scripts and looks, and names each action of each context that
// none of them asks for. What is new in the keymap is to be tried by a script.
func TestEveryAction(t *testing.T) {
	if testing.Short() {
		t.Skip("plays all scripts")
	}
	var mu sync.Mutex
	asked := map[string]bool{}
	keys := keymap.Default().Told(func(context, action string) {
		mu.Lock()
		defer mu.Unlock()
		asked[context+" "+action] = true
	})
	for _, pattern := range []string{"robot", "looks"} {
		files, err := filepath.Glob("../../testdata/" + pattern + "/*.txtar")
		if err != nil || len(files) == 0 {
			t.Fatalf("no scripts: %v", err)
		}
		for _, file := range files {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]string{}
			for _, f := range archive.Files {
				parts[f.Name] = string(f.Data)
			}
			if parts["keymap"] != "" {
				continue // the keys of others ask for nothing else
			}
			play(t, load(t, strings.TrimSpace(parts["recording"])), ui.Options{Depth: themes.Plain, Export: exporter, Keys: keys}, parts["keys"])
		}
	}
	for _, context := range keymap.Default().Contexts() {
		for _, r := range keymap.Default().Rows(context) {
			name := context + " " + r.Action
			switch why, excused := elsewhere[name]; {
			case len(r.Keys) == 0:
			case !asked[name] && !excused:
				t.Errorf("no script asks for %s (%s)", name, strings.Join(r.Keys, " "))
			case asked[name] && excused:
				t.Errorf("%s is said to be tried elsewhere (%s), and a script asks for it", name, why)
			}
		}
	}
}
