package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sourcegraph/jsonrpc2"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// A fake machine completes nothing until it is told that nobody wants it any more, and
// falls over where it is asked what a word means at the very beginning.
type fake struct {
	asked   chan struct{}
	checked atomic.Int32
}

func (f *fake) Check(_ context.Context, d Document) (*token.File, diag.List) {
	f.checked.Add(1)
	file := token.NewFile("script", d.Text)
	var list diag.List
	if i := strings.Index(d.Text, "bad"); i >= 0 {
		list.Add(token.Span{From: token.Pos(i + 1), To: token.Pos(i + 4)}, diag.Syntax, "it is \x1b[31mbad")
	}
	return file, list
}

func (f *fake) Compile(ctx context.Context, d Document) (*token.File, diag.List) {
	return f.Check(ctx, d)
}

func (f *fake) Complete(ctx context.Context, _ Document, at int) (int, []trace.Completion) {
	f.asked <- struct{}{}
	<-ctx.Done()
	return at, nil
}

func (f *fake) Explain(_ context.Context, d Document, at int) (trace.Explanation, bool) {
	if at == 0 {
		panic("fell over")
	}
	return trace.Explanation{To: 1, Decl: d.Text}, true
}

func (f *fake) Source(d Document) *token.File { return token.NewFile("script", d.Text) }
func (f *fake) Missing() string               { return "something" }

// A peer is an editor that keeps what it is told.
type peer struct{ told chan *jsonrpc2.Request }

func (p peer) Handle(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) { p.told <- r }

// talk starts a server over f and returns the editor's end.
func talk(t *testing.T, f *fake) (*jsonrpc2.Conn, peer, chan error) {
	t.Helper()
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(t.Context(), Config{Backend: f}, toServer, fromServer) }()
	p := peer{make(chan *jsonrpc2.Request, 64)}
	conn := jsonrpc2.NewConn(t.Context(), jsonrpc2.NewBufferedStream(pipe{toEditor, fromEditor}, jsonrpc2.VSCodeObjectCodec{}), p)
	t.Cleanup(func() { conn.Close() })
	var answer json.RawMessage
	if err := conn.Call(t.Context(), "textDocument/hover", map[string]any{}, &answer); err == nil {
		t.Error("a request before initialize is answered")
	}
	if err := conn.Call(t.Context(), "initialize", map[string]any{}, &answer); err != nil {
		t.Fatal(err)
	}
	return conn, p, done
}

func at(line, character int) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": "file:///x.d"}, "position": position{line, character}}
}

// TestRequestsStandAlone holds that a request that takes long, or falls over, is in the way
// of no other, and ends when it is cancelled.
func TestRequestsStandAlone(t *testing.T) {
	f := &fake{asked: make(chan struct{}, 8)}
	conn, p, done := talk(t, f)
	ctx := t.Context()
	conn.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "file:///x.d", "version": 1, "text": "a bad one"}})
	seen := map[string]string{}
	for len(seen) < 2 {
		r := <-p.told
		seen[r.Method] = string(*r.Params)
	}
	if got := seen["textDocument/publishDiagnostics"]; !strings.Contains(got, "it is ") || strings.Contains(got, "u001b") {
		t.Errorf("complaints: %s", got)
	}
	if !strings.Contains(seen["window/showMessage"], "something") {
		t.Errorf("told: %v", seen)
	}
	long, err := conn.DispatchCall(ctx, "textDocument/completion", at(0, 1), jsonrpc2.PickID(jsonrpc2.ID{Num: 99}))
	if err != nil {
		t.Fatal(err)
	}
	<-f.asked
	var got json.RawMessage
	if err := conn.Call(ctx, "textDocument/hover", at(0, 2), &got); err != nil || !strings.Contains(string(got), "a bad one") {
		t.Errorf("beside a long request: %s, %v", got, err)
	}
	if err := conn.Call(ctx, "textDocument/hover", at(0, 0), &got); err == nil || !strings.Contains(err.Error(), "fell over") {
		t.Errorf("a request that falls over: %v", err)
	}
	conn.Notify(ctx, "$/cancelRequest", map[string]any{"id": 99})
	var failed *jsonrpc2.Error
	if err := long.Wait(ctx, &got); !errors.As(err, &failed) || failed.Code != codeCancelled {
		t.Errorf("a request that is cancelled: %v", err)
	}
	conn.Notify(ctx, "textDocument/didClose", at(0, 0))
	if r := <-p.told; !strings.Contains(string(*r.Params), `"diagnostics":[]`) {
		t.Errorf("closed: %s", *r.Params)
	}
	if err := conn.Call(ctx, "shutdown", nil, &got); err != nil {
		t.Error(err)
	}
	conn.Notify(ctx, "exit", nil)
	if err := <-done; err != nil {
		t.Errorf("serve: %v", err)
	}
}

// TestTypingChecksOnce holds that letters that come fast are checked together.
func TestTypingChecksOnce(t *testing.T) {
	f := &fake{asked: make(chan struct{}, 8)}
	conn, p, _ := talk(t, f)
	ctx := t.Context()
	conn.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "file:///x.d", "version": 1, "text": ""}})
	version := func() float64 {
		for {
			r := <-p.told
			var told struct{ Version float64 }
			if r.Method == "textDocument/publishDiagnostics" && json.Unmarshal(*r.Params, &told) == nil {
				return told.Version
			}
		}
	}
	version()
	before := f.checked.Load()
	for i := range 50 {
		conn.Notify(ctx, "textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": "file:///x.d", "version": i + 2},
			"contentChanges": []any{map[string]any{"range": span{position{0, i}, position{0, i}}, "text": "x"}}})
	}
	for version() != 51 {
	}
	var got json.RawMessage
	if err := conn.Call(ctx, "textDocument/hover", at(0, 2), &got); err != nil || !strings.Contains(string(got), strings.Repeat("x", 50)) {
		t.Errorf("after 50 letters: %s, %v", got, err)
	}
	if n := f.checked.Load() - before; n > 25 {
		t.Errorf("50 letters were checked %d times", n)
	}
}
