package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "dscope.dev/"

// The layers, drawn; mayImport says the same to the letter:
//
//	cmd ──► ui ──► themes
//	 │       ├──► engine/trace              the only part of the engine that the screen sees
//	 │       └──► dlang/{token,scanner,diag,format}
//	 ├──► engine ──► engine/* ──► cilium/ebpf
//	 │       ├──► engine/internal/*         the rooms, drawn below
//	 │       ├──► probes ──► dlang/{types,near}, cilium/ebpf
//	 │       └──► dlang/*
//	dlang/* ──► the standard library alone
//
//	grow, rehearsal ──► drain, names ──► load ──► plan ──► options, trial
//
// mayImport says which of our packages and which libraries a folder may use
// beside the standard library. The longest prefix of a folder decides. Test
// files are held to the same rules, and to those of testsMayImport besides.
var mayImport = map[string][]string{
	"cmd": {module, "golang.org/x/sys/unix", "github.com/mattn/go-isatty", "github.com/nats-io/nats.go"},

	"dlang":        {module + "dlang"},
	"dlang/golden": {module + "dlang", "golang.org/x/tools/txtar"},

	"probes":        {module + "probes", module + "dlang/types", module + "dlang/machine", module + "dlang/near", "github.com/cilium/ebpf", "golang.org/x/sys/unix"},
	"probes/binary": {module + "probes/binary", module + "probes/budget", module + "probes/scout", module + "dlang/types", module + "dlang/machine", "github.com/ulikunitz/xz", "github.com/ianlancetaylor/demangle"},

	"probes/scout":    {module + "probes/scout", module + "probes/child", "golang.org/x/sys/unix"}, // below what asks it to open files
	"probes/child":    {"golang.org/x/sys/unix"},
	"probes/resolver": {module + "probes/resolver", module + "probes/binary", module + "probes/space", module + "probes/scout", module + "probes/child", "github.com/fxamacker/cbor/v2", "golang.org/x/sys/unix"},

	"probes/kinst": {module + "probes", "golang.org/x/arch"},

	"probes/kernel/kerneltest": {module + "probes", module + "dlang", "github.com/cilium/ebpf", "golang.org/x/tools/txtar"},

	"engine": {module + "engine", module + "probes", module + "dlang",
		"github.com/cilium/ebpf", "golang.org/x/sys/unix", "github.com/ianlancetaylor/demangle"},
	"engine/internal/options": {module + "engine/structured", module + "engine/trace", module + "dlang"},
	"engine/internal/mishap":  {module + "dlang"},
	"engine/internal/trial": {module + "engine/attach", module + "engine/codegen", module + "probes", module + "dlang/lower",
		"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
	"engine/internal/plan": {module + "engine/internal/options", module + "engine/internal/trial", module + "engine/internal/mishap",
		module + "engine/attach", module + "engine/codegen", module + "engine/trace", module + "probes", module + "dlang", "github.com/cilium/ebpf"},
	"engine/internal/load": {module + "engine/internal/plan", module + "engine/internal/trial",
		module + "engine/attach", module + "engine/clock", module + "engine/codegen", module + "engine/kmap", module + "engine/trace", module + "engine/unwind",
		module + "probes", module + "dlang", "github.com/cilium/ebpf", "golang.org/x/sys/unix"},
	"engine/internal/names": {module + "engine/internal/plan",
		module + "engine/codegen", module + "engine/kmap", module + "engine/python", module + "engine/symbol", module + "probes", module + "dlang", "github.com/cilium/ebpf"},
	"engine/internal/drain": {module + "engine/internal/load", module + "engine/internal/options", module + "engine/internal/plan", // neither names nor probes: it is handed a resolver
		module + "engine/agg", module + "engine/clock", module + "engine/codegen", module + "engine/kmap", module + "engine/record", module + "engine/trace",
		module + "dlang", "github.com/cilium/ebpf"},
	"engine/internal/grow": {module + "engine/internal/drain", module + "engine/internal/load", module + "engine/internal/names", module + "engine/internal/plan",
		module + "engine/sideband", module + "engine/trace", module + "probes", "github.com/cilium/ebpf", "golang.org/x/sys/unix"},
	"engine/internal/rehearsal": {module + "engine/internal/drain", module + "engine/internal/load", module + "engine/internal/names", module + "engine/internal/plan",
		module + "engine/internal/trial", module + "engine/trace", module + "dlang/ir"},
	"engine/rights":      {module + "engine/internal/options", module + "engine/internal/plan", module + "probes", module + "dlang"},
	"engine/helper":      {module + "engine", module + "dlang/near", module + "dlang/option", "github.com/cilium/ebpf/features", "golang.org/x/sys/unix"},
	"engine/container":   {module + "probes/space"},
	"engine/python":      {module + "probes/binary", "golang.org/x/arch", "golang.org/x/sys/unix"},
	"engine/export":      {module + "engine/export", module + "engine/trace", module + "engine/text", module + "engine/structured", module + "dlang", "github.com/google/pprof/profile"},
	"engine/metrics":     {module + "engine/metrics", module + "engine/trace", module + "engine/text", module + "dlang/unit", "github.com/prometheus/client_golang", "go.opentelemetry.io/proto/otlp", "google.golang.org/protobuf"},
	"engine/lab":         {"golang.org/x/tools/txtar"}, // boots kernels, for tests
	"engine/trace":       {},                           // the screen knows the engine by this package alone
	"engine/trace/spell": {module + "engine/trace"},
	"engine/wire":        {module + "engine/trace", module + "dlang/diag", module + "dlang/token", "github.com/klauspost/compress/zstd"},
	"engine/remote": {module + "engine/remote", module + "engine/trace", module + "engine/wire", module + "dlang/diag", module + "dlang/token",
		"github.com/hashicorp/yamux", "github.com/fxamacker/cbor/v2"},
	"engine/fleet": {module + "engine/agg", module + "engine/trace", module + "engine/wire"}, // no network
	"engine/fleet/nats": {module + "engine/fleet", module + "engine/remote", module + "engine/trace", module + "engine/wire", module + "dlang/diag", module + "dlang/token",
		"github.com/nats-io/nats.go"},
	"engine/fleet/nats/natstest": {"github.com/nats-io/nats-server/v2"}, // tests alone: it would add 15 MB to the program
	"engine/replay":              {module + "engine/replay", module + "engine/trace", module + "engine/wire", module + "dlang"},
	"engine/replay/old":          {module + "engine/trace", module + "engine/wire"},

	"themes": {"github.com/charmbracelet/", "github.com/alecthomas/chroma/v2", "github.com/muesli/termenv",
		module + "dlang/token", module + "themes"},
	"ui": {module + "ui", module + "themes", module + "engine/trace", module + "engine/question",
		module + "dlang/token", module + "dlang/scanner", module + "dlang/diag", module + "dlang/format", module + "dlang/near", module + "dlang/option", module + "dlang/narrow", module + "dlang/outline", module + "dlang/unit",
		module + "dlang/refer", module + "dlang/fix", module + "dlang/explain", module + "dlang/filename",
		"github.com/charmbracelet/", "github.com/alecthomas/chroma/v2", "github.com/google/shlex", "github.com/muesli/termenv", "github.com/sahilm/fuzzy",
		"golang.org/x/sys/unix"},
	"ui/config": {module + "ui", module + "themes", module + "dlang/near", module + "dlang/option", "github.com/BurntSushi/toml"}, // no panes: a text in, values out
	"ui/home":   {"golang.org/x/sys/unix"},
	"ui/document/syntax": {module + "dlang/token", module + "dlang/scanner", module + "dlang/check", // for the names of D
		module + "themes", "github.com/alecthomas/chroma/v2"},
	"ui/lsp": {module + "ui/lsp", module + "ui/document/syntax", module + "ui/home", module + "ui/widget", module + "engine/trace",
		module + "dlang/token", module + "dlang/diag", module + "dlang/format", module + "dlang/outline",
		module + "dlang/refer", module + "dlang/explain", module + "dlang/fix", module + "dlang/filename", "github.com/sourcegraph/jsonrpc2"},
}

// testsMayImport is what test files may use in addition.
var testsMayImport = map[string][]string{
	"cmd": {"github.com/creack/pty", "github.com/cilium/ebpf", "github.com/charmbracelet/x/", "golang.org/x/tools/txtar", "github.com/rogpeppe/go-internal/testscript",
		"go.opentelemetry.io/proto/otlp", "google.golang.org/protobuf"},
	"dlang":             {"golang.org/x/tools/txtar"},
	"engine":            {"golang.org/x/tools/txtar"},
	"engine/export":     {module + "engine/replay", module + "engine/metrics"}, // which it is held to
	"engine/fleet/nats": {module + "engine/fleet/nats/natstest", module + "engine/agg", "github.com/nats-io/nats-server/v2"},
	"engine/lab":        {module + "engine/fleet", module + "engine/remote", module + "engine/trace", "golang.org/x/tools/txtar"}, // a fleet of kernels
	"engine/replay":     {"github.com/klauspost/compress/zstd"},                                                                   // to make bombs
	"ui/lsp":            {module + "dlang/golden", "golang.org/x/tools/txtar"},
	"ui": {module + "engine/replay", module + "dlang/golden", module + "dlang/parser",
		"golang.org/x/tools/txtar", "github.com/creack/pty"},
}

func TestLayers(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".go" {
			checkImports(t, root, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkImports complains about each import of one file that no rule allows.
func checkImports(t *testing.T, root, path string) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	rel, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		t.Error(err)
		return
	}
	folder := filepath.ToSlash(rel)
	allowed := rule(mayImport, folder)
	if strings.HasSuffix(path, "_test.go") {
		allowed = append(allowed[:len(allowed):len(allowed)], rule(testsMayImport, folder)...)
	}
	for _, spec := range f.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(strings.SplitN(name, "/", 2)[0], ".") {
			continue // the standard library
		}
		if !covered(allowed, name) {
			t.Errorf("%s imports %s, which %s may not", path, name, folder)
		}
	}
}

// rule returns the entry of the longest prefix of folder.
func rule(rules map[string][]string, folder string) []string {
	for at := folder; ; at = at[:strings.LastIndexByte(at, '/')] {
		if list, ok := rules[at]; ok {
			return list
		}
		if !strings.Contains(at, "/") {
			return nil
		}
	}
}

// covered reports whether name is one of the packages in list, or below one.
func covered(list []string, name string) bool {
	for _, p := range list {
		if name == strings.TrimSuffix(p, "/") || strings.HasPrefix(name, strings.TrimSuffix(p, "/")+"/") {
			return true
		}
	}
	return false
}

// TestTopLevel holds the folders at the top to those of the design.
func TestTopLevel(t *testing.T) {
	want := map[string]bool{"cmd": true, "ui": true, "engine": true, "dlang": true, "probes": true,
		"themes": true, "testdata": true, "go.mod": true, "go.sum": true, "README.md": true, "LICENSE": true,
		"dscope": true} // built there, and ignored by git
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !want[e.Name()] && !strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s does not belong at the top", e.Name())
		}
	}
}
