package structured

import (
	"bufio"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A writer writes a document element by element.
type writer interface {
	open()
	element(n node)
	close(aggs []node) // aggs are the aggregations that come at the end
}

// A jsonWriter writes JSON: one document, or an object a line.
type jsonWriter struct {
	out    *bufio.Writer
	pretty bool
	lines  bool
	some   bool // whether an element was written
	depth  int
}

func (w *jsonWriter) open() {
	if w.lines {
		return
	}
	w.out.WriteString("{")
	w.deeper(1)
	w.name("dtrace")
	w.out.WriteString("{")
	w.deeper(1)
	w.name("probes")
	w.out.WriteString("[")
	w.depth++
}

func (w *jsonWriter) element(n node) {
	if w.lines {
		w.node(n)
		w.out.WriteString("\n")
		return
	}
	if w.some {
		w.out.WriteString(",")
	}
	w.some = true
	w.deeper(0)
	w.node(n)
}

func (w *jsonWriter) close(aggs []node) {
	if w.lines {
		return
	}
	w.deeper(-1)
	w.out.WriteString("]")
	if len(aggs) > 0 {
		w.out.WriteString(",")
		w.deeper(0)
		w.name("aggregations")
		w.node(list("", aggs...))
	}
	w.deeper(-1)
	w.out.WriteString("}")
	w.deeper(-1)
	w.out.WriteString("}\n")
}

// deeper goes to a new line, by levels further in, if people are to read it.
func (w *jsonWriter) deeper(by int) {
	w.depth += by
	if w.pretty {
		w.out.WriteString("\n")
		w.out.WriteString(strings.Repeat("  ", w.depth))
	}
}

func (w *jsonWriter) name(s string) {
	w.str(s)
	w.out.WriteString(":")
	if w.pretty {
		w.out.WriteString(" ")
	}
}

// node writes the value of n.
func (w *jsonWriter) node(n node) {
	switch n.kind {
	case textNode:
		w.str(n.text)
		return
	case numberNode:
		w.out.WriteString(n.text)
		return
	}
	brackets := map[kind]string{objectNode: "{}", listNode: "[]"}[n.kind]
	w.out.WriteString(brackets[:1])
	if len(n.sub) > 0 {
		w.depth++
		for i, sub := range n.sub {
			if i > 0 {
				w.out.WriteString(",")
			}
			w.deeper(0)
			if n.kind == objectNode {
				w.name(sub.name)
			}
			w.node(sub)
		}
		w.deeper(-1)
	}
	w.out.WriteString(brackets[1:])
}

// str writes a string. What is not ASCII stays as it is, but for the two
// separators of lines that JavaScript does not bear, and what is no character.
func (w *jsonWriter) str(s string) {
	const digits = "0123456789abcdef"
	w.out.WriteByte('"')
	for _, r := range spelled(s) {
		switch {
		case r == '"' || r == '\\':
			w.out.WriteByte('\\')
			w.out.WriteByte(byte(r))
		case r == '\n':
			w.out.WriteString(`\n`)
		case r == '\t':
			w.out.WriteString(`\t`)
		case r == '\r':
			w.out.WriteString(`\r`)
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029:
			w.out.WriteString(`\u`)
			for shift := 12; shift >= 0; shift -= 4 {
				w.out.WriteByte(digits[r>>shift&15])
			}
		default:
			w.out.WriteRune(r)
		}
	}
	w.out.WriteByte('"')
}

// An xmlWriter writes XML. A list is its elements under one name.
type xmlWriter struct {
	out    *bufio.Writer
	pretty bool
	depth  int
}

func (w *xmlWriter) open() {
	w.out.WriteString(`<?xml version="1.0"?>` + "\n<dtrace>")
	w.depth++
	w.line()
}

func (w *xmlWriter) element(n node) { w.node("probes", n) }

func (w *xmlWriter) close(aggs []node) {
	for _, n := range aggs {
		w.node("aggregations", n)
	}
	w.depth--
	w.out.WriteString("</dtrace>\n")
}

func (w *xmlWriter) line() {
	if w.pretty {
		w.out.WriteString("\n")
	}
}

func (w *xmlWriter) indent() {
	if w.pretty {
		w.out.WriteString(strings.Repeat("  ", w.depth))
	}
}

func (w *xmlWriter) node(name string, n node) {
	if n.kind == listNode {
		for _, sub := range n.sub {
			w.node(name, sub)
		}
		return
	}
	w.indent()
	if n.kind != objectNode && n.text == "" {
		w.out.WriteString("<" + name + "/>")
		w.line()
		return
	}
	w.out.WriteString("<" + name + ">")
	if n.kind == objectNode {
		w.line()
		w.depth++
		for _, sub := range n.sub {
			w.node(sub.name, sub)
		}
		w.depth--
		w.indent()
	} else {
		escape(w.out, n.text)
	}
	w.out.WriteString("</" + name + ">")
	w.line()
}

// escape writes text between tags. XML has no way to write most control
// characters at all, so that these are spelled as on terminals: ^[.
func escape(out *bufio.Writer, s string) {
	for _, r := range spelled(s) {
		switch {
		case r == '&':
			out.WriteString("&amp;")
		case r == '<':
			out.WriteString("&lt;")
		case r == '>':
			out.WriteString("&gt;")
		case r == '"':
			out.WriteString("&quot;")
		case r == '\r' || r >= 0x7f && r < 0xa0: // a reader would make newlines of some, and terminals obey others
			out.WriteString("&#" + strconv.Itoa(int(r)) + ";")
		case r < ' ' && r != '\n' && r != '\t':
			out.WriteByte('^')
			out.WriteByte(byte(r) + '@')
		case r == 0xfffe || r == 0xffff:
			out.WriteRune(utf8.RuneError)
		default:
			out.WriteRune(r)
		}
	}
}

// An htmlWriter writes a line of divisions for each firing, as libxo does; lists
// and objects are not shown as such.
type htmlWriter struct {
	out *bufio.Writer
}

func (w *htmlWriter) open() {}

func (w *htmlWriter) element(n node) {
	w.out.WriteString("<div class=\"line\">\n")
	for i, sub := range n.sub {
		if i > 0 {
			w.out.WriteString("<div class=\"text\"></div>\n")
		}
		w.data(sub.name, sub)
	}
	w.out.WriteString("</div>\n")
}

func (w *htmlWriter) close(aggs []node) {
	for _, n := range aggs {
		w.element(n)
	}
}

func (w *htmlWriter) data(name string, n node) {
	switch n.kind {
	case objectNode:
		for _, sub := range n.sub {
			w.data(sub.name, sub)
		}
	case listNode:
		for _, sub := range n.sub {
			w.data(name, sub)
		}
	default:
		w.out.WriteString(`<div class="data" data-tag="` + name + `">`)
		escape(w.out, n.text)
		w.out.WriteString("</div>\n")
	}
}
