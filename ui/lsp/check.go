package lsp

import (
	"context"
	"reflect"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// settle is how long nobody must have typed before a script is checked.
const settle = 60 * time.Millisecond

// A checking is the check of one document, under way or done.
type checking struct {
	doc    *doc
	cancel context.CancelFunc
	file   *token.File // what list is about; nil before there is one
	list   diag.List
	sent   []diagnostic
}

// set takes a version of a document and has it checked. whole says that code generation
// is to be asked too, which takes its time.
func (s *server) set(conn *jsonrpc2.Conn, d *doc, whole bool) {
	ctx, cancel := context.WithCancel(s.ctx)
	c := &checking{doc: d, cancel: cancel}
	s.mu.Lock()
	if before := s.checks[d.uri]; before != nil {
		before.cancel()
	}
	s.docs[d.uri], s.checks[d.uri] = d, c
	s.mu.Unlock()
	s.busy.Go(func() {
		defer cancel()
		if !whole {
			select {
			case <-time.After(settle):
			case <-ctx.Done():
				return
			}
		}
		f, list := s.Backend.Check(ctx, d.Document)
		s.publish(ctx, conn, c, f, list)
		if whole && !list.Failed() {
			f, list = s.Backend.Compile(ctx, d.Document)
			s.publish(ctx, conn, c, f, list)
		}
	})
}

// publish sends complaints, unless something was typed since.
func (s *server) publish(ctx context.Context, conn *jsonrpc2.Conn, c *checking, f *token.File, list diag.List) {
	s.sending.Lock() // so that none overtakes a newer one
	defer s.sending.Unlock()
	p := publishParams{URI: c.doc.uri, Version: c.doc.version, Diagnostics: []diagnostic{}}
	for _, d := range list {
		p.Diagnostics = append(p.Diagnostics, c.doc.diagnostic(f, d))
	}
	s.mu.Lock() // not while it is sent: an editor may read nothing before it has written
	stale := ctx.Err() != nil || s.checks[c.doc.uri] != c
	again := c.file != nil && reflect.DeepEqual(p.Diagnostics, c.sent)
	if !stale {
		c.file, c.list, c.sent = f, list, p.Diagnostics
	}
	s.mu.Unlock()
	if !stale && !again { // code generation may have nothing to add
		conn.Notify(s.ctx, "textDocument/publishDiagnostics", p)
	}
}

// closed forgets a document.
func (s *server) closed(conn *jsonrpc2.Conn, uri string) {
	s.mu.Lock()
	if c := s.checks[uri]; c != nil {
		c.cancel()
	}
	delete(s.checks, uri)
	delete(s.docs, uri)
	s.mu.Unlock()
	s.busy.Go(func() {
		s.sending.Lock()
		defer s.sending.Unlock()
		s.mu.Lock()
		again := s.docs[uri] != nil // it was opened meanwhile, and is told of apart
		s.mu.Unlock()
		if !again {
			conn.Notify(s.ctx, "textDocument/publishDiagnostics", publishParams{URI: uri, Diagnostics: []diagnostic{}})
		}
	})
}

// complaints returns what is wrong with a document, and the file that tells of it.
func (c call) complaints(ctx context.Context) (*token.File, diag.List) {
	c.s.mu.Lock()
	if k := c.s.checks[c.doc.uri]; k != nil && k.doc == c.doc && k.file != nil {
		defer c.s.mu.Unlock()
		return k.file, k.list
	}
	c.s.mu.Unlock()
	return c.s.Backend.Check(ctx, c.doc.Document)
}

// diagnostic makes a complaint about f one about a document that f was made of.
func (d *doc) diagnostic(f *token.File, say *diag.Diagnostic) diagnostic {
	out := diagnostic{Severity: severityError, Code: string(say.Code), Source: "dscope", Message: clean(say.Msg)}
	if say.Severity == diag.Warning {
		out.Severity = severityWarning
	}
	if say.Hint != "" {
		out.Message += "\n" + clean(say.Hint)
	}
	own, at := d.own(f, say.At)
	out.Range = d.visible(at)
	if !own {
		out.Related = append(out.Related, d.related(f, say.At, "here"))
	}
	for _, n := range say.Notes {
		if n.At.IsValid() {
			out.Related = append(out.Related, d.related(f, n.At, clean(n.Msg)))
		} else {
			out.Message += "\n" + clean(n.Msg)
		}
	}
	return out
}

// own returns where a place of f is in the document. Ok is false if it is in another
// file: then that is the line which includes it, or the first if nothing tells.
func (d *doc) own(f *token.File, at token.Span) (ok bool, place token.Span) {
	if !at.IsValid() {
		return true, token.Span{From: 1, To: 1}
	}
	if !f.Included(at.From) {
		_, place = f.Origin(at)
		return true, place
	}
	for _, r := range f.Reasons(at) {
		if r.File.Name == f.Name {
			return false, r.At
		}
	}
	return false, token.Span{From: 1, To: 1}
}

// visible returns a place that an editor can underline: a letter at least.
func (d *doc) visible(at token.Span) span {
	from, to := at.From.Offset(), at.To.Offset()
	if to <= from && from > 0 && (from >= len(d.Text) || strings.IndexByte("\r\n", d.Text[from]) >= 0) {
		from--
	}
	return d.span(from, max(to, from+1))
}

// related tells of another place.
func (d *doc) related(f *token.File, at token.Span, msg string) related {
	own, place := d.own(f, at)
	r := related{location{d.uri, d.visible(place)}, msg}
	if own {
		return r
	}
	name, line, _ := f.Place(at.From)
	if uri, where, ok := elsewhereOf(f, at); ok {
		r.Location = location{uri, where}
		return r
	}
	r.Message += " (" + name + ", line " + itoa(line) + ")"
	return r
}
