package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// Error codes of the protocol, beside those of JSON-RPC.
const (
	codeNotInitialized = -32002
	codeCancelled      = -32800
	codeFailed         = -32803
)

// A server speaks with one editor.
type server struct {
	Config
	ctx   context.Context // ends with the connection
	busy  sync.WaitGroup  // requests and checks under way
	slots chan struct{}   // bounds how many requests are worked on at once
	gone  chan struct{}   // closed by exit

	sending sync.Mutex // held while complaints are sent

	mu       sync.Mutex
	ready    bool // initialize has been answered
	shutdown bool
	units    string
	markdown bool
	docs     map[string]*doc
	cancels  map[jsonrpc2.ID]context.CancelFunc
	checks   map[string]*checking // by document
	once     sync.Once            // tells what is missing
}

func newServer(ctx context.Context, c Config) *server {
	return &server{Config: c, ctx: ctx, slots: make(chan struct{}, max(2, runtime.NumCPU())), gone: make(chan struct{}),
		units: utf16Units, docs: map[string]*doc{}, cancels: map[jsonrpc2.ID]context.CancelFunc{}, checks: map[string]*checking{}}
}

// left reports whether the editor has said that it goes.
func (s *server) left() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shutdown
}

// A call is a message that is understood, with the document that it is about as it is now.
type call struct {
	s   *server
	doc *doc
}

// A handler reads the parameters of a request and returns what answers it.
type handler func(s *server, params json.RawMessage) (func(context.Context) (any, error), error)

// on makes a handler of a function that answers requests about a document.
func on[P interface{ document() string }](answer func(call, context.Context, P) (any, error)) handler {
	return func(s *server, params json.RawMessage) (func(context.Context) (any, error), error) {
		var p P
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
		}
		s.mu.Lock()
		d := s.docs[p.document()]
		s.mu.Unlock()
		if d == nil {
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf("%s is not open", p.document())}
		}
		return func(ctx context.Context) (any, error) { return answer(call{s, d}, ctx, p) }, nil
	}
}

// requests are those that are answered beside others.
var requests = map[string]handler{
	"textDocument/completion":          on(call.completion),
	"textDocument/hover":               on(call.hover),
	"textDocument/signatureHelp":       on(call.signature),
	"textDocument/definition":          on(call.definition),
	"textDocument/references":          on(call.references),
	"textDocument/documentHighlight":   on(call.highlights),
	"textDocument/prepareRename":       on(call.prepareRename),
	"textDocument/rename":              on(call.rename),
	"textDocument/formatting":          on(call.formatting),
	"textDocument/documentSymbol":      on(call.symbols),
	"textDocument/semanticTokens/full": on(call.tokens),
	"textDocument/codeAction":          on(call.actions),
}

// Handle takes one message. It is called for one after another.
func (s *server) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	params := json.RawMessage("null")
	if r.Params != nil {
		params = *r.Params
	}
	if r.Notif {
		s.notified(conn, r.Method, params)
		return
	}
	if err := s.takes(r.Method); err != nil {
		conn.ReplyWithError(ctx, r.ID, err)
		return
	}
	switch r.Method {
	case "initialize":
		s.initialize(ctx, conn, r.ID, params)
		return
	case "shutdown":
		s.mu.Lock()
		s.shutdown = true
		s.mu.Unlock()
		conn.Reply(ctx, r.ID, nil)
		return
	}
	h, ok := requests[r.Method]
	if !ok {
		conn.ReplyWithError(ctx, r.ID, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: r.Method + " is not spoken here"})
		return
	}
	work, err := h(s, params)
	if err != nil {
		conn.ReplyWithError(ctx, r.ID, errorOf(err))
		return
	}
	s.start(conn, r.ID, work)
}

// takes returns why a request cannot be answered now, or nil.
func (s *server) takes(method string) *jsonrpc2.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.shutdown:
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the server is shut down"}
	case !s.ready && method != "initialize":
		return &jsonrpc2.Error{Code: codeNotInitialized, Message: "initialize comes first"}
	case s.ready && method == "initialize":
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "initialize came before"}
	}
	return nil
}

// start answers a request beside others.
func (s *server) start(conn *jsonrpc2.Conn, id jsonrpc2.ID, work func(context.Context) (any, error)) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.cancels[id] = cancel
	s.mu.Unlock()
	s.busy.Go(func() {
		s.slots <- struct{}{}
		result, err := answered(ctx, work)
		<-s.slots
		s.mu.Lock()
		delete(s.cancels, id)
		s.mu.Unlock()
		if ctx.Err() != nil && s.ctx.Err() == nil {
			err = &jsonrpc2.Error{Code: codeCancelled, Message: "cancelled"}
		}
		cancel()
		if err != nil {
			conn.ReplyWithError(s.ctx, id, errorOf(err))
			return
		}
		conn.Reply(s.ctx, id, result)
	})
}

// answered does the work of a request, and survives it.
func answered(ctx context.Context, work func(context.Context) (any, error)) (result any, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: fmt.Sprintf("this is a mistake of dscope: %v", why)}
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return work(ctx)
}

// errorOf makes an answer of an error.
func errorOf(err error) *jsonrpc2.Error {
	var own *jsonrpc2.Error
	if errors.As(err, &own) {
		return own
	}
	return &jsonrpc2.Error{Code: codeFailed, Message: err.Error()}
}

// notified takes a message that wants no answer. Those that are not known are passed over.
func (s *server) notified(conn *jsonrpc2.Conn, method string, params json.RawMessage) {
	switch method {
	case "exit":
		close(s.gone)
	case "$/cancelRequest":
		var p struct {
			ID jsonrpc2.ID `json:"id"`
		}
		if json.Unmarshal(params, &p) == nil {
			s.mu.Lock()
			if cancel := s.cancels[p.ID]; cancel != nil {
				cancel()
			}
			s.mu.Unlock()
		}
	case "textDocument/didOpen":
		var p openParams
		if json.Unmarshal(params, &p) == nil {
			s.set(conn, newDoc(p.TextDocument.URI, p.TextDocument.Version, p.TextDocument.Text, s.units), true)
			s.tellMissing(conn)
		}
	case "textDocument/didChange":
		s.changed(conn, params)
	case "textDocument/didSave":
		var p about
		if json.Unmarshal(params, &p) == nil {
			s.mu.Lock()
			d := s.docs[p.document()]
			s.mu.Unlock()
			if d != nil {
				s.set(conn, d, true)
			}
		}
	case "textDocument/didClose":
		var p about
		if json.Unmarshal(params, &p) == nil {
			s.closed(conn, p.document())
		}
	}
}

// changed applies what was typed.
func (s *server) changed(conn *jsonrpc2.Conn, params json.RawMessage) {
	var p changeParams
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.mu.Lock()
	d := s.docs[p.document()]
	s.mu.Unlock()
	if d == nil {
		return
	}
	for _, c := range p.ContentChanges {
		text := c.Text
		if c.Range != nil {
			from, to := d.offset(c.Range.Start), d.offset(c.Range.End)
			text = d.Text[:from] + text + d.Text[max(from, to):]
		}
		d = newDoc(d.uri, p.TextDocument.Version, text, d.units)
	}
	s.set(conn, d, false)
}

// initialize agrees on what is spoken.
func (s *server) initialize(ctx context.Context, conn *jsonrpc2.Conn, id jsonrpc2.ID, params json.RawMessage) {
	var p initializeParams
	if err := json.Unmarshal(params, &p); err != nil {
		conn.ReplyWithError(ctx, id, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()})
		return
	}
	s.mu.Lock()
	s.ready = true
	if slices.Contains(p.Capabilities.General.PositionEncodings, utf8Units) {
		s.units = utf8Units
	}
	s.markdown = slices.Contains(p.Capabilities.TextDocument.Hover.ContentFormat, "markdown")
	units := s.units
	s.mu.Unlock()
	conn.Reply(ctx, id, initializeResult{
		ServerInfo: serverInfo{"dscope", s.Version},
		Capabilities: capabilities{
			PositionEncoding:       units,
			TextDocumentSync:       syncOptions{OpenClose: true, Change: 2, Save: true},
			CompletionProvider:     triggers{[]string{":", ".", ">", "@", "$", "/", "\""}},
			HoverProvider:          true,
			SignatureHelpProvider:  triggers{[]string{"(", ",", "["}},
			DefinitionProvider:     true,
			ReferencesProvider:     true,
			DocumentHighlight:      true,
			RenameProvider:         renameOptions{PrepareProvider: true},
			DocumentFormatting:     true,
			DocumentSymbolProvider: true,
			SemanticTokensProvider: semanticOptions{Legend: tokenLegend(), Full: true},
			CodeActionProvider:     codeActionOption{[]string{"quickfix"}},
		},
	})
}

// tellMissing says once what is not known here.
func (s *server) tellMissing(conn *jsonrpc2.Conn) {
	s.once.Do(func() {
		s.busy.Go(func() {
			if why := s.Backend.Missing(); why != "" {
				conn.Notify(s.ctx, "window/showMessage", messageParams{severityInformation, why})
			}
		})
	})
}
