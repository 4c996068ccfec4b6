package engine

import (
	"io/fs"
	"os"
	"path/filepath"

	"dscope.dev/dlang/filename"
	"dscope.dev/dlang/snippet"
	"dscope.dev/engine/trace"
)

// completeFile completes the name of a file that the script src ends in. Ok is false if none
// is due there. A file that is included is looked for beside the script.
func completeFile(script, src string) (from int, list []trace.Completion, ok bool) {
	place, ok := filename.At(src)
	if !ok {
		return 0, nil, false
	}
	dir := ""
	if place.Script {
		dir = filepath.Dir(script)
	}
	read := func(dir string) ([]fs.DirEntry, error) { return os.ReadDir(dir) }
	for _, name := range filename.Complete(dir, place.Typed, read, place.Takes) {
		list = append(list, trace.Completion{Text: name, Kind: trace.CompleteFile})
	}
	return len(src) - len(filename.Base(place.Typed)), list, true
}

// snippets returns the pieces of D for a word where a clause may begin.
func snippets(typed string) (list []trace.Completion) {
	for _, s := range snippet.For(typed) {
		list = append(list, trace.Completion{Text: s.Text, Name: s.Name, Detail: s.Help, Kind: trace.CompleteSnippet})
	}
	return list
}
