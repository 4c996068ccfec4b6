package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dscope.dev/dlang/golden"
	"dscope.dev/engine"
	"dscope.dev/ui/lsp"
)

// An editor is the other side of the protocol: a message a time, framed by hand.
type editor struct {
	t    testing.TB
	out  io.WriteCloser
	in   chan []byte // messages, read as they come
	done chan error
	uri  string
	text string
	ver  int
	id   int
	log  *bytes.Buffer // what was said, for a record; nil if nobody wants it
}

// newEditor starts a server on this kernel and agrees with it on all that it can do.
func newEditor(t testing.TB, library string, flags ...string) *editor {
	t.Helper()
	e, err := engine.Open()
	if err != nil {
		t.Skipf("no engine: %v", err)
	}
	t.Cleanup(func() { e.Close() })
	l := language{engine: e}
	opts, _, err := getopt(flags, "CD:U:I:L:p:wZx:")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range opts {
		if err := l.set(f); err != nil {
			t.Fatal(err)
		}
	}
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	ed := &editor{t: t, out: fromEditor, in: make(chan []byte, 1024), done: make(chan error, 1)}
	go ed.receive(bufio.NewReader(toEditor))
	go func() {
		ed.done <- lsp.Serve(context.Background(), lsp.Config{Backend: &server{l}, Version: "test", Library: library}, toServer, fromServer)
	}()
	ed.request("initialize", map[string]any{"capabilities": map[string]any{
		"textDocument": map[string]any{"hover": map[string]any{"contentFormat": []string{"markdown"}}}}})
	ed.notify("initialized", map[string]any{})
	return ed
}

// quit ends the talk as an editor does.
func (ed *editor) quit() {
	ed.t.Helper()
	ed.log = nil
	ed.request("shutdown", nil)
	ed.notify("exit", nil)
	if err := <-ed.done; err != nil {
		ed.t.Errorf("serve: %v", err)
	}
}

func (ed *editor) send(message map[string]any) {
	ed.t.Helper()
	message["jsonrpc"] = "2.0"
	b, err := json.Marshal(message)
	if err != nil {
		ed.t.Fatal(err)
	}
	ed.record("→", b)
	if _, err := fmt.Fprintf(ed.out, "Content-Length: %d\r\n\r\n%s", len(b), b); err != nil {
		ed.t.Fatal(err)
	}
}

func (ed *editor) notify(method string, params any) {
	ed.t.Helper()
	ed.send(map[string]any{"method": method, "params": params})
}

// A reply is a message of the server.
type reply struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// read returns the next message, but for what only this machine has to say.
func (ed *editor) read() reply {
	ed.t.Helper()
	for b := range ed.in {
		var a reply
		if err := json.Unmarshal(b, &a); err != nil {
			ed.t.Fatalf("%v in %s", err, b)
		}
		if a.Method == "window/showMessage" {
			continue
		}
		ed.record("←", b)
		return a
	}
	ed.t.Fatal("the server has ended the talk")
	panic("not reached")
}

// receive takes messages from the stream until it ends.
func (ed *editor) receive(in *bufio.Reader) {
	defer close(ed.in)
	for {
		size := 0
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			line = strings.TrimSpace(line)
			if line == "" {
				break
			}
			if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
				size, _ = strconv.Atoi(n)
			}
		}
		b := make([]byte, size)
		if _, err := io.ReadFull(in, b); err != nil {
			return
		}
		ed.in <- b
	}
}

// record keeps a message, with its keys in order.
func (ed *editor) record(arrow string, b []byte) {
	if ed.log == nil {
		return
	}
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		ed.t.Fatal(err)
	}
	delete(v, "jsonrpc")
	var line bytes.Buffer
	out := json.NewEncoder(&line)
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		ed.t.Fatal(err)
	}
	text := line.String()
	if dir, err := filepath.Abs(filepath.Join("..", "..")); err == nil {
		text = strings.ReplaceAll(text, dir, "")
	}
	fmt.Fprintf(ed.log, "%s %s", arrow, text)
}

// request asks, and returns the answer; complaints that come meanwhile are passed over.
func (ed *editor) request(method string, params any) reply {
	ed.t.Helper()
	ed.id++
	ed.send(map[string]any{"id": ed.id, "method": method, "params": params})
	for {
		if a := ed.read(); a.ID != nil && *a.ID == ed.id {
			return a
		}
	}
}

// open opens a script and waits for what is wrong with it.
func (ed *editor) open(path, text string) {
	ed.t.Helper()
	ed.uri, ed.text, ed.ver = "file://"+path, text, 1
	ed.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": ed.uri, "languageId": "dtrace", "version": 1, "text": text}})
	ed.complaints()
}

// change puts text at an offset in the place of n bytes.
func (ed *editor) change(at, n int, text string) {
	ed.ver++
	edit := map[string]any{"range": map[string]any{"start": ed.position(at), "end": ed.position(at + n)}, "text": text}
	ed.text = ed.text[:at] + text + ed.text[at+n:]
	ed.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": ed.uri, "version": ed.ver},
		"contentChanges": []any{edit}})
}

// complaints waits for those about the text as it is.
func (ed *editor) complaints() json.RawMessage {
	ed.t.Helper()
	for {
		a := ed.read()
		var p struct {
			Version     int
			Diagnostics json.RawMessage
		}
		if a.Method == "textDocument/publishDiagnostics" && json.Unmarshal(a.Params, &p) == nil && p.Version == ed.ver {
			return p.Diagnostics
		}
	}
}

// position returns where an offset is. The scripts of these tests are ASCII.
func (ed *editor) position(at int) map[string]int {
	before := ed.text[:at]
	return map[string]int{"line": strings.Count(before, "\n"), "character": at - (strings.LastIndexByte(before, '\n') + 1)}
}

// about names the document, and the place behind some words.
func (ed *editor) about(words string) map[string]any {
	ed.t.Helper()
	i := strings.Index(ed.text, words)
	if i < 0 {
		ed.t.Fatalf("%q is not in the script", words)
	}
	return map[string]any{"textDocument": map[string]any{"uri": ed.uri}, "position": ed.position(i + len(words))}
}

// do carries out a line of a session: a request, and the words behind which it asks.
func (ed *editor) do(line string) {
	ed.t.Helper()
	what, words, _ := strings.Cut(line, " ")
	words, more, _ := strings.Cut(words, " ⇒ ")
	document := map[string]any{"textDocument": map[string]any{"uri": ed.uri}}
	switch what {
	case "type": // one letter after another, as fast as that goes
		at := strings.Index(ed.text, words) + len(words)
		for i := range len(more) {
			ed.change(at+i, 0, more[i:i+1])
		}
		ed.complaints()
	case "formatting", "documentSymbol", "semanticTokens/full":
		ed.request("textDocument/"+what, document)
	case "codeAction":
		p := ed.about(words)
		p["range"] = map[string]any{"start": p["position"], "end": p["position"]}
		ed.request("textDocument/codeAction", p)
	case "rename":
		p := ed.about(words)
		p["newName"] = more
		ed.request("textDocument/rename", p)
	case "references":
		p := ed.about(words)
		p["context"] = map[string]any{"includeDeclaration": true}
		ed.request("textDocument/references", p)
	case "completion", "hover", "signatureHelp", "definition", "documentHighlight", "prepareRename":
		ed.request("textDocument/"+what, ed.about(words))
	default:
		ed.t.Fatalf("%s is nothing that an editor does", what)
	}
}

// TestLanguageServer replays sessions: a script, a line of dashes, what the editor does.
func TestLanguageServer(t *testing.T) {
	library := t.TempDir()
	golden.Run(t, "../../testdata/lsp/*.txtar", map[string]func([]byte) []byte{
		"session": func(in []byte) []byte {
			script, acts, _ := strings.Cut(string(in), "----\n")
			ed := newEditor(t, library)
			var log bytes.Buffer
			ed.log = &log
			path, err := filepath.Abs(filepath.Join("..", "..", "testdata", "lsp", "script.d"))
			if err != nil {
				t.Fatal(err)
			}
			ed.open(path, script)
			for line := range strings.Lines(acts) {
				ed.do(strings.TrimRight(line, "\n"))
			}
			ed.quit()
			return bytes.ReplaceAll(log.Bytes(), []byte(library), []byte("LIBRARY"))
		},
	})
}

// TestServerOrder holds what no record shows: what comes before initialize and after
// shutdown is refused, unknown requests are, and a talk that just ends is a failure.
func TestServerOrder(t *testing.T) {
	ed := newEditor(t, t.TempDir())
	if a := ed.request("initialize", map[string]any{}); !strings.Contains(string(a.Error), "came before") {
		t.Errorf("a second initialize: %s", a.Error)
	}
	if a := ed.request("textDocument/unheard", map[string]any{}); !strings.Contains(string(a.Error), "-32601") {
		t.Errorf("an unknown request: %s", a.Error)
	}
	if a := ed.request("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": "file:///none"}}); !strings.Contains(string(a.Error), "is not open") {
		t.Errorf("a document that is not open: %s", a.Error)
	}
	ed.notify("$/cancelRequest", map[string]any{"id": 77})
	ed.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": "file:///none"}})
	ed.notify("$/unheard", map[string]any{})
	if a := ed.request("shutdown", nil); a.Error != nil || string(a.Result) != "null" {
		t.Errorf("shutdown: %s %s", a.Result, a.Error)
	}
	if a := ed.request("textDocument/hover", map[string]any{}); !strings.Contains(string(a.Error), "shut down") {
		t.Errorf("after shutdown: %s", a.Error)
	}
	ed.notify("exit", nil)
	if err := <-ed.done; err != nil {
		t.Errorf("serve: %v", err)
	}
	gone := newEditor(t, t.TempDir())
	gone.out.Close()
	if err := <-gone.done; err != lsp.ErrNoShutdown {
		t.Errorf("an editor that is gone: %v", err)
	}
}

// TestServerIncludes follows a script with a header, whose first line asks for -C: what is
// wrong in the header is told where it is included, names lead into it, and no name is
// changed there.
func TestServerIncludes(t *testing.T) {
	dir := t.TempDir()
	header := filepath.Join(dir, "common.h")
	if err := os.WriteFile(header, []byte("/* shared */\nint shared;\n#define LIMIT 3\nint wrong[;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	text := "#!/usr/sbin/dtrace -Cws\n#include \"common.h\"\nBEGIN /LIMIT > 2/ { shared = own = 1; system(\"true\"); }\n"
	ed := newEditor(t, t.TempDir())
	ed.uri, ed.text, ed.ver = "file://"+dir+"/x.d", text, 1
	ed.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": ed.uri, "version": 1, "text": text}})
	list := string(ed.complaints())
	if !strings.Contains(list, `"line":1`) || !strings.Contains(list, "common.h") || strings.Contains(list, "destructive") {
		t.Errorf("complaints: %s", list)
	}
	if err := os.WriteFile(header, []byte("/* shared */\nint shared;\n#define LIMIT 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ed.change(len(text), 0, "\n")
	if list := string(ed.complaints()); list != "[]" {
		t.Errorf("complaints: %s", list)
	}
	to := func(words string) string {
		return string(ed.request("textDocument/definition", ed.about(words)).Result)
	}
	if got := to("{ shar"); !strings.Contains(got, "common.h") || !strings.Contains(got, `"line":1`) {
		t.Errorf("shared is declared at %s", got)
	}
	if got := to("#inclu"); !strings.Contains(got, "common.h") {
		t.Errorf("the header is %s", got)
	}
	if got := to("= own"); !strings.Contains(got, "x.d") || !strings.Contains(got, `"line":2`) {
		t.Errorf("own is declared at %s", got)
	}
	if a := ed.request("textDocument/hover", ed.about("{ shar")); !strings.Contains(string(a.Result), "int shared") || !strings.Contains(string(a.Result), "common.h") {
		t.Errorf("hover: %s %s", a.Result, a.Error)
	}
	if a := ed.request("textDocument/completion", ed.about("{ shar")); !strings.Contains(string(a.Result), `"label":"shared"`) ||
		!strings.Contains(string(a.Result), fmt.Sprintf(`"character":%d`, strings.Index("BEGIN /LIMIT > 2/ { shared", "shar"))) {
		t.Errorf("completion: %s %s", a.Result, a.Error)
	}
	p := ed.about("{ shar")
	p["newName"] = "mine"
	if a := ed.request("textDocument/rename", p); !strings.Contains(string(a.Error), "stands in") {
		t.Errorf("rename: %s %s", a.Result, a.Error)
	}
	p = ed.about("= own")
	p["newName"] = "mine"
	if a := ed.request("textDocument/rename", p); !strings.Contains(string(a.Result), `"newText":"mine"`) {
		t.Errorf("rename: %s %s", a.Result, a.Error)
	}
	ed.quit()
}

// TestServerRunsNothing holds that to open a script runs no program that it names.
func TestServerRunsNothing(t *testing.T) {
	dir := t.TempDir()
	made := filepath.Join(dir, "made")
	program := filepath.Join(dir, "cpp")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntouch "+made+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ed := newEditor(t, t.TempDir())
	ed.open(filepath.Join(dir, "x.d"), "#!/usr/sbin/dtrace -C -xcpppath="+program+" -s\nBEGIN { }\n")
	ed.quit()
	if _, err := os.Stat(made); err == nil {
		t.Error("the program was run")
	}
}
