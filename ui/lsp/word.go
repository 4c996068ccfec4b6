package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"dscope.dev/dlang/explain"
	"dscope.dev/dlang/refer"
	"dscope.dev/dlang/token"
	"dscope.dev/ui/home"
	"dscope.dev/ui/widget"
)

func itoa(n int) string { return strconv.Itoa(n) }

// clean makes a text harmless whose words may come from traced processes, line by line.
func clean(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = widget.Safe(strings.ReplaceAll(l, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// hover tells what a word means.
func (c call) hover(ctx context.Context, p aboutPlace) (any, error) {
	x, ok := c.s.Backend.Explain(ctx, c.doc.Document, c.doc.offset(p.Position))
	if !ok {
		return nil, nil
	}
	text := append([]string{clean(x.Help)}, x.Notes...)
	for i, n := range text {
		text[i] = clean(n)
	}
	h := hover{Range: c.doc.span(x.From, x.To)}
	about := strings.TrimSpace(strings.Join(text, "\n\n"))
	if c.s.markdown {
		h.Contents = markup{"markdown", "```dtrace\n" + clean(x.Decl) + "\n```\n" + about}
	} else {
		h.Contents = markup{"plaintext", strings.TrimSpace(clean(x.Decl) + "\n\n" + about)}
	}
	return h, nil
}

// signature tells what the call takes that is being written.
func (c call) signature(_ context.Context, p aboutPlace) (any, error) {
	k, ok := explain.CallAt(token.NewFile("script", c.doc.Text), c.doc.offset(p.Position))
	if !ok {
		return nil, nil
	}
	sig := signature{Label: k.Proto, Documentation: k.Help, Parameters: []parameter{}}
	for _, at := range k.Params {
		from := length(k.Proto[:at[0]], utf16Units)
		sig.Parameters = append(sig.Parameters, parameter{[2]int{from, from + length(k.Proto[at[0]:at[1]], utf16Units)}})
	}
	help := signatureHelp{Signatures: []signature{sig}}
	if active := k.Active; active >= 0 {
		help.ActiveParameter = &active
	}
	return help, nil
}

// symbol returns what stands at a position.
func (c call) symbol(p position) (*refer.Index, *refer.Symbol, token.Span) {
	f := c.s.Backend.Source(c.doc.Document)
	x := refer.Parse(f)
	at, ok := f.Made(c.doc.offset(p))
	if !ok {
		return x, nil, token.Span{}
	}
	sym, place := x.At(at)
	return x, sym, place
}

// definition tells where a name is declared: in the script, a file that it includes, or
// D's library.
func (c call) definition(_ context.Context, p aboutPlace) (any, error) {
	if loc, ok := c.included(p.Position); ok {
		return loc, nil
	}
	x, sym, _ := c.symbol(p.Position)
	if sym == nil {
		return nil, nil
	}
	if sym.Def.IsValid() {
		return c.location(x.File, sym.Def), nil
	}
	file, line, ok := sym.Library()
	if !ok || c.s.Library == "" {
		return nil, nil
	}
	path, err := c.s.shown(file)
	if err != nil {
		return nil, err
	}
	at := position{line - 1, 0}
	return location{uriOf(path), span{at, at}}, nil
}

// included returns the file that an #include at a position names, if it is there.
func (c call) included(p position) (location, bool) {
	if p.Line >= len(c.doc.lines) || c.doc.Path == "" {
		return location{}, false
	}
	line := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(c.doc.line(p.Line)), "#"))
	rest, ok := strings.CutPrefix(line, "include")
	if !ok {
		return location{}, false
	}
	path := filepath.Join(filepath.Dir(c.doc.Path), strings.Trim(strings.TrimSpace(rest), `"<>`))
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return location{}, false
	}
	return location{URI: uriOf(path)}, true
}

// location tells of a place of f to an editor.
func (c call) location(f *token.File, at token.Span) location {
	if own, place := c.doc.own(f, at); own {
		return location{c.doc.uri, c.doc.span(place.From.Offset(), place.To.Offset())}
	}
	if uri, where, ok := elsewhereOf(f, at); ok {
		return location{uri, where}
	}
	_, place := c.doc.own(f, at)
	return location{c.doc.uri, c.doc.span(place.From.Offset(), place.To.Offset())}
}

// elsewhereOf tells of a place in a file that f includes. Ok is false if it is in none.
func elsewhereOf(f *token.File, at token.Span) (uri string, where span, ok bool) {
	src, place := f.Origin(at)
	if _, err := os.Stat(src.Name); err != nil || f.Outside(at.From) {
		return "", span{}, false
	}
	d := newDoc("", 0, src.Src, utf16Units)
	return uriOf(src.Name), d.span(place.From.Offset(), place.To.Offset()), true
}

// shown writes a text of the library to a file that an editor can open, and returns its
// path.
func (s *server) shown(file string) (string, error) {
	text, ok := refer.LibraryText(file)
	if !ok {
		return "", fmt.Errorf("the library has no %s", file)
	}
	path, err := home.Show(s.Library, file, text)
	if err != nil {
		return "", fmt.Errorf("show %s of the library: %w", file, err)
	}
	return path, nil
}

// references lists all places of a name.
func (c call) references(_ context.Context, p referenceParams) (any, error) {
	x, sym, _ := c.symbol(p.Position)
	list := []location{}
	if sym == nil {
		return list, nil
	}
	for _, u := range sym.Uses {
		if u != sym.Def || p.Context.IncludeDeclaration {
			list = append(list, c.location(x.File, u))
		}
	}
	return list, nil
}

// highlights lists the places of a name in the document.
func (c call) highlights(_ context.Context, p aboutPlace) (any, error) {
	x, sym, _ := c.symbol(p.Position)
	list := []highlight{}
	if sym == nil {
		return list, nil
	}
	for _, u := range sym.Uses {
		if own, at := c.doc.own(x.File, u); own {
			list = append(list, highlight{c.doc.span(at.From.Offset(), at.To.Offset())})
		}
	}
	return list, nil
}

// prepareRename tells what would be renamed, or why it cannot be.
func (c call) prepareRename(_ context.Context, p aboutPlace) (any, error) {
	x, sym, place := c.symbol(p.Position)
	if sym == nil {
		return nil, nil
	}
	if err := x.Renames(sym); err != nil {
		return nil, err
	}
	_, at := c.doc.own(x.File, place)
	return renameRange{c.doc.span(at.From.Offset(), at.To.Offset()), sym.Name}, nil
}

// rename gives a name another spelling, in all places at once.
func (c call) rename(_ context.Context, p renameParams) (any, error) {
	x, sym, _ := c.symbol(p.Position)
	if sym == nil {
		return nil, fmt.Errorf("there is no name that could be changed")
	}
	name, places, err := x.Rename(sym, p.NewName)
	if err != nil {
		return nil, err
	}
	edits := []textEdit{}
	for _, at := range places {
		edits = append(edits, textEdit{c.doc.span(at.From.Offset(), at.To.Offset()), name})
	}
	return workspaceEdit{map[string][]textEdit{c.doc.uri: edits}}, nil
}
