package robot_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"dscope.dev/engine/replay"
	"dscope.dev/themes"
	"dscope.dev/ui"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/robot"
)

// Clocks on the screen are those of UTC, wherever the test runs.
func init() { time.Local = time.UTC }

var update = flag.Bool("update", false, "write the frames that come out into the archives")

// TestScripts plays every script of testdata/robot over the recording that it
// names, and compares the frames.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("../../testdata/robot/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { playFile(t, file) })
	}
}

// exporter writes nothing: what it is asked for is seen on the screen.
var exporter = ui.Exporter{
	Formats: []ui.ExportFormat{{Name: "text", End: ".txt", Help: "as dtrace(1) prints it"}, {Name: "csv", End: ".csv", Help: "aggregations"},
		{Name: "svg", End: ".svg", Help: "a figure"}, {Name: "chrome", End: ".trace.json", Help: "events, durations and counters over time"}},
	Write: func(_ context.Context, e ui.Export) (string, string, error) {
		if strings.HasPrefix(e.File, "taken") && !e.Replace {
			return "", "", fs.ErrExist
		}
		if strings.HasPrefix(e.File, "none/") {
			return "", "", fmt.Errorf("export to %s: No such file or directory", e.File)
		}
		return e.File, "a form", nil
	},
}

func playFile(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	part := func(name string) string {
		for _, f := range archive.Files {
			if f.Name == name {
				return string(f.Data)
			}
		}
		return ""
	}
	recording := load(t, strings.TrimSpace(part("recording")))
	options := ui.Options{Depth: themes.Plain, Export: exporter}
	if name := strings.TrimSpace(part("keymap")); name != "" {
		var ok bool
		if options.Keys, ok = keymap.Named(name); !ok {
			t.Fatalf("no keys are called %s", name)
		}
	}
	frames := play(t, recording, options, part("keys"))
	if *update {
		save(t, file, archive, frames)
		return
	}
	i := 0
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "frame ") {
			continue
		}
		switch {
		case i >= len(frames) || f.Name != frameName(frames[i]):
			t.Fatalf("the script gives no %s in this place", f.Name)
		case string(f.Data) != frames[i].Text:
			t.Errorf("%s is\n%s\nwant\n%s", f.Name, frames[i].Text, f.Data)
		}
		i++
	}
	if i < len(frames) {
		t.Errorf("the archive lacks %s", frameName(frames[i]))
	}
}

// A tape is a recording to be played; live says that it plays the part of a machine.
type tape struct {
	recording []byte
	live      bool
}

// load returns the recording of a name, which "live" before it makes a machine.
func load(t *testing.T, name string) tape {
	name, live := strings.CutPrefix(name, "live ")
	return tape{recordingOf(t, name), live}
}

// recordingOf returns the recording of that name; "generated", "slow", "stacks", "lossy", "many",
// "wide", "follow" and "dozen" are made here.
func recordingOf(t *testing.T, name string) []byte {
	switch name {
	case "generated":
		return generated(t)
	case "slow":
		return slow(t)
	case "stacks":
		return stacked(t)
	case "lossy":
		return lossy(t)
	case "many":
		return many(t)
	case "wide":
		return wide(t)
	case "follow":
		return follow(t)
	case "dozen":
		return dozen(t)
	}
	recording, err := os.ReadFile(filepath.Join("../../testdata/runs", name))
	if err != nil {
		t.Fatal(err)
	}
	return recording
}

func frameName(f robot.Frame) string { return fmt.Sprintf("frame %s %dx%d", f.Name, f.W, f.H) }

// play plays keys over a recording in a bubble of virtual time.
func play(t *testing.T, tape tape, o ui.Options, keys string) (frames []robot.Frame) {
	synctest.Test(t, func(t *testing.T) {
		player, err := replay.Read(bytes.NewReader(tape.recording), int64(len(tape.recording)))
		if err != nil {
			t.Fatal(err)
		}
		var backend ui.Backend = player
		if tape.live {
			backend = machine{player}
		}
		model, err := ui.New(t.Context(), backend, o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := robot.Play(model, keys)
		if err != nil {
			t.Errorf("%v; the screen showed\n%s", err, lastFrame(r))
		}
		frames = r.Frames
		r.Close()
	})
	return frames
}

func lastFrame(r *robot.Robot) string {
	if len(r.Frames) == 0 {
		return ""
	}
	return r.Frames[len(r.Frames)-1].Text
}

func save(t *testing.T, file string, archive *txtar.Archive, frames []robot.Frame) {
	var kept []txtar.File
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "frame ") {
			kept = append(kept, f)
		}
	}
	for _, f := range frames {
		kept = append(kept, txtar.File{Name: frameName(f), Data: []byte(f.Text)})
	}
	archive.Files = kept
	write(t, file, archive)
}

func write(t *testing.T, file string, archive *txtar.Archive) {
	t.Helper()
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestMistakesAreNamed holds that a script that cannot be played says where.
func TestMistakesAreNamed(t *testing.T) {
	recording := generated(t)
	for _, tt := range []struct{ keys, want string }{
		{"open 80x24\nkeys ctrl+nothing", "line 2: keys ctrl+nothing: no key is called ctrl+nothing"},
		{"open 80x24\n\ndance", "line 3: dance: no such command"},
		{"open wide", "line 1: open wide: want WIDTHxHEIGHT"},
		{"open 80x24\nquit", "line 2: quit: it has not ended"},
		{"open 80x24\nclick 3", "line 2: click 3: wrong number of arguments"},
		{"open 80x24\nkeys ctrl+c\nkeys a", "line 3: keys a: the program has ended"},
	} {
		synctest.Test(t, func(t *testing.T) {
			player, err := replay.Read(bytes.NewReader(recording), int64(len(recording)))
			if err != nil {
				t.Fatal(err)
			}
			model, err := ui.New(t.Context(), player, ui.Options{Depth: themes.Plain})
			if err != nil {
				t.Fatal(err)
			}
			r, err := robot.Play(model, tt.keys)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			r.Close()
		})
	}
}
