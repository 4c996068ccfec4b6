package lib

import (
	"slices"
	"strings"
)

// An Item is one declaration of a library.
type Item struct {
	File string // the name of the library
	Line int    // on which Text begins
	Text string // of the whole declaration, with its semicolon
	Kind Kind

	Missing string // what its library depends on and this machine has not; "" if nothing
}

// A Kind says what an item declares.
type Kind uint8

// The kinds of items.
const (
	Type       Kind = iota // a typedef
	Tag                    // a struct, union or enum
	Inline                 // an inline
	Variable               // a variable
	Translator             // a translator; its name is that of its output
	Provider               // a provider
	Function               // a function
	Clause                 // a clause, which a library cannot have
)

// A Control is a line of a library that begins with #.
type Control struct {
	File string
	Line int
	Text string
}

// An Index knows what libraries declare.
type Index struct {
	names       map[string][]*Item // types, tags, inlines, variables, functions, enumerators
	translators map[string][]*Item
	Items       []*Item // all of them
	Providers   []*Item
	Clauses     []*Item
	Controls    []Control
	bindings    map[string]string // version by name, from #pragma D binding
	attributes  map[string]string // by name, from #pragma D attributes
	order       []string          // of the libraries
	words       []word            // room for those of an item
}

// NewIndex returns an index of nothing.
func NewIndex() *Index {
	return &Index{
		names: map[string][]*Item{}, translators: map[string][]*Item{},
		bindings: map[string]string{}, attributes: map[string]string{},
	}
}

// Lookup returns the first item of one of kinds that declares name, or nil.
func (x *Index) Lookup(name string, kinds ...Kind) *Item {
	for _, it := range x.All(name, kinds...) {
		return it
	}
	return nil
}

// All returns the items of kinds that declare name. Several are alternatives: the
// first that this machine can satisfy counts.
func (x *Index) All(name string, kinds ...Kind) []*Item {
	if x == nil {
		return nil
	}
	var list []*Item
	for _, it := range x.names[name] {
		if slices.Contains(kinds, it.Kind) {
			list = append(list, it)
		}
	}
	return list
}

// Translators returns the translators to a type of this name.
func (x *Index) Translators(out string) []*Item {
	if x == nil {
		return nil
	}
	return x.translators[out]
}

// Names lists the names of items of one of kinds, in no order.
func (x *Index) Names(kinds ...Kind) []string {
	var list []string
	if x == nil {
		return nil
	}
	for name, items := range x.names {
		if slices.ContainsFunc(items, func(it *Item) bool { return slices.Contains(kinds, it.Kind) }) {
			list = append(list, name)
		}
	}
	return list
}

// Binding returns the version that a name was bound to, or "".
func (x *Index) Binding(name string) string {
	if x == nil {
		return ""
	}
	return x.bindings[name]
}

// Attributes returns the stability that was given to a name, or "".
func (x *Index) Attributes(name string) string { return x.attributes[name] }

// Add splits the text of a library into its items.
func (x *Index) Add(file, text string) {
	s := splitter{file: file, text: text, line: 1}
	for s.skip(); s.at < len(text); s.skip() {
		line := s.line
		if text[s.at] == '#' {
			x.control(Control{file, line, s.untilNewline()})
			continue
		}
		it := &Item{File: file, Line: line, Text: s.item()}
		x.Items = append(x.Items, it)
		x.words = words(x.words[:0], it.Text)
		x.add(it, x.words)
	}
}

// control notes a control line, and what it says of a name.
func (x *Index) control(c Control) {
	x.Controls = append(x.Controls, c)
	f := strings.Fields(c.Text)
	if len(f) != 5 || f[0] != "#pragma" || f[1] != "D" {
		return
	}
	switch f[2] {
	case "binding":
		x.bindings[f[4]] = strings.Trim(f[3], `"`)
	case "attributes":
		x.attributes[f[4]] = f[3]
	}
}

// add finds the names that an item declares. Of the words of the item it needs
// no more than which stand outside of brackets.
func (x *Index) add(it *Item, w []word) {
	if len(w) == 0 {
		return
	}
	switch w[0].text {
	case "inline":
		it.Kind = Inline
		x.name(it, lastName(upTo(w, "=", "[")))
	case "translator":
		it.Kind = Translator
		out := lastName(upTo(w, "<"))
		x.translators[out] = append(x.translators[out], it)
	case "provider":
		it.Kind = Provider
		x.Providers = append(x.Providers, it)
	case "typedef":
		it.Kind = Type
		x.tags(it, w)
		for _, d := range declarators(w) {
			x.name(it, typedefName(d))
		}
	case "struct", "union", "enum":
		it.Kind = Tag
		x.tags(it, w)
	default:
		if name := functionName(w); name != "" {
			it.Kind = Function
			x.name(it, name)
			return
		}
		if strings.HasSuffix(it.Text, "}") {
			it.Kind = Clause
			x.Clauses = append(x.Clauses, it)
			return
		}
		it.Kind = Variable
		for _, d := range declarators(w) {
			x.name(it, lastName(upTo(d, "[", ";")))
		}
	}
}

func (x *Index) name(it *Item, name string) {
	if name != "" {
		x.names[name] = append(x.names[name], it)
	}
}

// tags notes the tag that an item defines, and the names of an enumeration.
func (x *Index) tags(it *Item, w []word) {
	for i, t := range w {
		if t.depth > 0 || t.text != "struct" && t.text != "union" && t.text != "enum" {
			continue
		}
		if i+2 < len(w) && w[i+2].text == "{" {
			x.name(it, w[i+1].text)
		}
		if t.text != "enum" {
			continue
		}
		for j := i; j+1 < len(w); j++ {
			if (w[j].text == "{" || w[j].text == ",") && isName(w[j+1].text) {
				x.name(it, w[j+1].text)
			}
		}
	}
}

// declarators splits a declaration at the commas outside of brackets.
func declarators(w []word) [][]word {
	var list [][]word
	for {
		d := upTo(w, ",")
		list = append(list, d)
		if len(d) == len(w) {
			return list
		}
		w = w[len(d)+1:]
	}
}

// functionName returns the name of the function that an item defines: the one before
// the parameters, behind which the body follows. It is "" for other items.
func functionName(w []word) string {
	open := slices.IndexFunc(w, func(t word) bool { return t.text == "(" })
	body := slices.IndexFunc(w, func(t word) bool { return t.text == "{" })
	if open < 2 || body < open || w[body-1].text != ")" || !isName(w[open-1].text) {
		return ""
	}
	if slices.ContainsFunc(w[:open], func(t word) bool { return t.text != "*" && !isName(t.text) }) {
		return "" // probes and a predicate
	}
	return w[open-1].text
}

// typedefName returns the name that a typedef declares: the last outside of
// brackets, or that of a pointer to a function.
func typedefName(w []word) string {
	for i, t := range w {
		if t.text == "(" && t.depth == 0 && i+2 < len(w) && w[i+1].text == "*" {
			return w[i+2].text
		}
	}
	return lastName(upTo(w, ";"))
}

// upTo returns the words before the first of ends that stands outside of
// brackets.
func upTo(w []word, ends ...string) []word {
	for i, t := range w {
		if t.depth == 0 && slices.Contains(ends, t.text) {
			return w[:i]
		}
	}
	return w
}

// lastName returns the last name of w that stands outside of brackets.
func lastName(w []word) string {
	for _, t := range slices.Backward(w) {
		if t.depth == 0 && isName(t.text) {
			return t.text
		}
	}
	return ""
}

// TranslatorNames lists the types that there are translators to, in no order.
func (x *Index) TranslatorNames() []string {
	var list []string
	for name := range x.translators {
		list = append(list, name)
	}
	return list
}
