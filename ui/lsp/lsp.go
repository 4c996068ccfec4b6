// Package lsp is the language server: D for the editors that speak the Language Server
// Protocol (3.17), over a stream of messages.
//
// It translates and remembers the open documents, and knows no kernel: what a script
// means it asks of a Backend, what can be told from the words alone of dlang/refer, outline,
// explain, fix and format, as the workbench's own editor does. A document is a value that
// no one changes: a request has the one that was there when it came, whatever is typed
// meanwhile, and is answered beside others. Only notifications are handled in the order
// of the stream, before the next message is read.
//
// Complaints are not asked for but sent: some time after the last change (settle), and never
// in the way of a request.
package lsp

import (
	"context"
	"errors"
	"io"

	"github.com/sourcegraph/jsonrpc2"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// A Document is a script in an editor.
type Document struct {
	Path string // of its file; "" if it has none
	Text string
}

// A Backend is all that the server knows of the machine. Its methods may be called from
// several goroutines, and stop early when their context ends.
type Backend interface {
	// Check returns what is wrong with a script, and the file that the list is about: the
	// text, or what a preprocessor has made of it. It is fast enough to follow one who types.
	Check(ctx context.Context, d Document) (*token.File, diag.List)

	// Compile is Check, and what only code generation finds out.
	Compile(ctx context.Context, d Document) (*token.File, diag.List)

	// Complete returns what could stand at a byte offset, best first, and where the word
	// that it would replace begins.
	Complete(ctx context.Context, d Document, at int) (from int, list []trace.Completion)

	// Explain tells what the word at a byte offset means.
	Explain(ctx context.Context, d Document, at int) (trace.Explanation, bool)

	// Source returns a script as the compiler reads it.
	Source(d Document) *token.File

	// Missing says what this machine or these privileges do not tell, with the remedy;
	// "" if all is there.
	Missing() string
}

// A Config is what a server is made of.
type Config struct {
	Backend Backend
	Version string
	Library string // a folder in which texts of D's library may be kept to be shown; "" if they are not
}

// ErrNoShutdown is for an editor that goes away without having said so.
var ErrNoShutdown = errors.New("the editor ended the connection without a shutdown")

// Serve speaks with one editor until it ends the connection.
func Serve(ctx context.Context, c Config, in io.ReadCloser, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newServer(ctx, c)
	stream := jsonrpc2.NewBufferedStream(pipe{in, out}, jsonrpc2.VSCodeObjectCodec{})
	conn := jsonrpc2.NewConn(ctx, stream, s)
	select {
	case <-conn.DisconnectNotify():
	case <-s.gone:
		conn.Close()
	case <-ctx.Done():
		conn.Close()
	}
	cancel()
	s.busy.Wait()
	if !s.left() {
		return ErrNoShutdown
	}
	return nil
}

// A pipe is the two ends of the talk as one.
type pipe struct {
	io.ReadCloser
	io.Writer
}
