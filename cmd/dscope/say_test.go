package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mayNameStreams are the files of this folder that may name the terminal's streams, with the
// reason.
var mayNameStreams = map[string]string{
	"say.go":          "it makes what is said safe",
	"target_linux.go": "a command's streams are its own",
	"trace.go":        "the printer of a run knows the script's words from those of others",
	"export.go":       "a profile of pprof is no text",
	"record.go":       "it asks whether there is a terminal",
	"follow.go":       "it asks whether there is a terminal",
	"serve.go":        "it asks whether there is a terminal",
	"elsewhere.go":    "what a command prints on another machine was made safe there",
	"workbench.go":    "it asks whether there is a terminal",
	"helped_linux.go": "it hands its streams over to a dscope that makes safe what it says",
	"helper_linux.go": "it hands its streams over to a dscope that makes safe what it says",
}

// TestAllIsSaidSafely holds that nothing in this folder writes past the door of say.go.
func TestAllIsSaidSafely(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	direct := regexp.MustCompile(`os\.Std(out|err)\b|\bfmt\.Print(f|ln)?\(|\bprintln\(`)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || mayNameStreams[name] != "" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := direct.Find(text); found != nil {
			t.Errorf("%s has %s; what is said goes to said or told (say.go)", name, found)
		}
	}
}
