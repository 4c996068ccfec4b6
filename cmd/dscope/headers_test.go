package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mayReadHeaders are the files that may hand a file to package elf of the standard
// library, or to what else makes memory for what a file claims, with the reason.
var mayReadHeaders = map[string]string{
	"probes/binary/header.go": "it checks the headers first",
	"probes/kernel/text.go":   "/proc/kcore is the kernel's own",
	"engine/lab/modules.go":   "modules of kernels that tests boot",
}

// TestHeadersAreChecked holds that nobody else opens what others have written with
// readers that trust it: the door is binary.Headers.
func TestHeadersAreChecked(t *testing.T) {
	trusting := regexp.MustCompile(`\b(elf\.(NewFile|Open)|gosym\.New\w+|dwarf\.New)\(|\.(DynamicSymbols|ImportedSymbols)\b`)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(filepath.Dir(path), "test") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if found := trusting.Find(text); found != nil && mayReadHeaders[filepath.ToSlash(rel)] == "" {
			t.Errorf("%s calls %s…; use binary.Headers, which checks first", rel, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
