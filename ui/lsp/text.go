package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"dscope.dev/dlang/filename"
	"dscope.dev/dlang/fix"
	"dscope.dev/dlang/format"
	"dscope.dev/dlang/outline"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/document/syntax"
)

// itemKinds are the kinds of completions as the protocol numbers them.
var itemKinds = map[trace.CompletionKind]int{
	trace.CompleteProbe: 23, trace.CompleteVariable: 6, trace.CompleteFunction: 3, trace.CompleteMember: 5,
	trace.CompleteAggregation: 10, trace.CompleteKeyword: 14, trace.CompleteType: 22, trace.CompleteOption: 12,
	trace.CompleteFile: 17, trace.CompleteSnippet: 15,
}

// completion offers what could stand at a place.
func (c call) completion(ctx context.Context, p completionParams) (any, error) {
	at := c.doc.offset(p.Position)
	out := completionList{Items: []completionItem{}}
	if p.Context.TriggerCharacter == ">" && !strings.HasSuffix(c.doc.Text[:at], "->") {
		return out, nil // something is compared
	}
	if t := p.Context.TriggerCharacter; t == "/" || t == "\"" {
		if _, ok := filename.At(c.doc.Text[:at]); !ok {
			return out, nil // something is divided, or said
		}
	}
	from, list := c.s.Backend.Complete(ctx, c.doc.Document, at)
	place := c.doc.span(from, at)
	for i, k := range list {
		// More probes, and those behind the next colon, come when more is typed.
		out.IsIncomplete = out.IsIncomplete || k.Kind == trace.CompleteProbe || k.Kind == trace.CompleteFile
		out.Items = append(out.Items, completionItem{Label: clean(k.Label()), Kind: itemKinds[k.Kind], Detail: clean(k.Detail),
			SortText: fmt.Sprintf("%04d", i), FilterText: k.Label(), TextEdit: textEdit{place, k.Text}})
	}
	return out, nil
}

// formatting lays the script out.
func (c call) formatting(_ context.Context, p about) (any, error) {
	out, list := format.Script(token.NewFile("script", c.doc.Text))
	if list.Failed() {
		line := c.doc.position(list[0].At.From.Offset()).Line + 1
		return nil, fmt.Errorf("line %d: %s: a script with mistakes is left as it is", line, list[0].Msg)
	}
	from, to, text := difference(c.doc.Text, out)
	if from == to && text == "" {
		return []textEdit{}, nil
	}
	return []textEdit{{c.doc.span(from, to), text}}, nil
}

// difference returns what of a text has to be replaced to make it another, in whole lines,
// so that an editor keeps its cursor and its marks elsewhere.
func difference(a, b string) (from, to int, text string) {
	for n := 0; n < len(a) && n < len(b) && a[n] == b[n]; n++ {
		if a[n] == '\n' {
			from = n + 1
		}
	}
	end := 0
	for n := 0; n < len(a)-from && n < len(b)-from && a[len(a)-1-n] == b[len(b)-1-n]; n++ {
		if a[len(a)-1-n] == '\n' {
			end = n
		}
	}
	return from, len(a) - end, b[from : len(b)-end]
}

// symbolKinds are the kinds of items as the protocol numbers them.
var symbolKinds = map[outline.Kind]int{
	outline.Clause: 24, outline.Function: 12, outline.Variable: 13, outline.Constant: 14,
	outline.Type: 23, outline.Translator: 11, outline.Provider: 3,
}

// symbols lists the items of the script.
func (c call) symbols(_ context.Context, p about) (any, error) {
	list := []documentSymbol{}
	for _, s := range outline.Symbols(token.NewFile("script", c.doc.Text)) {
		list = append(list, documentSymbol{s.Name, symbolKinds[s.Kind], c.doc.place(s.At), c.doc.place(s.Word)})
	}
	return list, nil
}

func (d *doc) place(at token.Span) span { return d.span(at.From.Offset(), at.To.Offset()) }

// tokenTypes says what the classes of words are called in the protocol. The others are not
// told: they look as they are.
var tokenTypes = map[syntax.Class]string{
	syntax.Comment: "comment", syntax.Control: "macro", syntax.Probe: "event", syntax.Keyword: "keyword", syntax.Type: "type",
	syntax.Scope: "keyword", syntax.Name: "variable", syntax.Builtin: "variable", syntax.Function: "function",
	syntax.Agg: "property", syntax.Macro: "macro", syntax.Symbol: "namespace", syntax.Number: "number",
	syntax.Char: "string", syntax.String: "string", syntax.Operator: "operator",
}

// ofLanguage is the modifier of what D itself gives.
const ofLanguage = "defaultLibrary"

// tokenNames lists the values of tokenTypes, each once: their places are their numbers.
func tokenNames() []string {
	var list []string
	for class := range syntax.Classes {
		if name := tokenTypes[class]; name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

func tokenLegend() legend { return legend{tokenNames(), []string{ofLanguage}} }

// tokens tells the classes of all words, five numbers each: lines and characters since the
// word before, length, class, modifiers. A word of several lines is told line by line.
func (c call) tokens(_ context.Context, p about) (any, error) {
	names := tokenNames()
	out := semanticTokens{Data: []uint32{}}
	var last position
	for _, w := range syntax.Words(c.doc.Text) {
		n := slices.Index(names, tokenTypes[w.Class])
		if n < 0 {
			continue
		}
		var modifiers uint32
		if w.Class == syntax.Builtin {
			modifiers = 1
		}
		from := w.From
		for _, piece := range strings.SplitAfter(c.doc.Text[w.From:w.To], "\n") {
			text := strings.TrimRight(piece, "\r\n")
			at := c.doc.position(from)
			from += len(piece)
			if text == "" {
				continue
			}
			if at.Line > last.Line {
				last.Character = 0
			}
			out.Data = append(out.Data, uint32(at.Line-last.Line), uint32(at.Character-last.Character),
				uint32(length(text, c.doc.units)), uint32(n), modifiers)
			last = at
		}
	}
	return out, nil
}

// actions offers the remedies for the complaints in a range.
func (c call) actions(ctx context.Context, p actionParams) (any, error) {
	from, to := c.doc.offset(p.Range.Start), c.doc.offset(p.Range.End)
	f, list := c.complaints(ctx)
	out := []codeAction{}
	foreign := false
	linux, some := fix.Linux(c.doc.Text)
	for _, d := range list {
		said := c.doc.diagnostic(f, d)
		if c.doc.offset(said.Range.Start) > to || c.doc.offset(said.Range.End) < from {
			continue
		}
		for i, change := range fix.For(c.doc.Text, f, d) {
			out = append(out, c.action(change, []diagnostic{said}, i == 0))
			foreign = foreign || some && slices.Contains(linux.Edits, change.Edits[0])
		}
	}
	if foreign && len(linux.Edits) > 1 {
		out = append(out, c.action(linux, nil, false))
	}
	return out, nil
}

func (c call) action(change fix.Change, about []diagnostic, preferred bool) codeAction {
	var edits []textEdit
	for _, e := range change.Edits {
		edits = append(edits, textEdit{c.doc.span(e.From, e.To), e.Text})
	}
	return codeAction{change.Title, "quickfix", about, preferred, workspaceEdit{map[string][]textEdit{c.doc.uri: edits}}}
}
