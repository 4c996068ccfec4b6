// Package grammar makes a TextMate grammar for D scripts, by which VS Code, forges and
// others colour, and its twin for bat and Sublime Text. Its words are those of the compiler: the scanner's
// keywords, the checker's variables and functions.
//
// A grammar of that kind looks at a line at a time and at patterns alone, so it is a
// little less exact than the scanner: what begins at the top level with a word, white
// space and another word counts as a declaration, and a predicate ends at a slash that
// is the last thing in its line. Its patterns keep to what Go's regexp knows, but for a
// look ahead at their end, so that a test can compare it with the scanner token by token.
package grammar

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/token"
)

//go:embed dtrace.tmLanguage.json
var textMate []byte

// TextMate returns the grammar as JSON, in the form of a .tmLanguage.json file.
func TextMate() []byte { return textMate }

// A grammar is the whole file.
type grammar struct {
	Comment    string          `json:"comment"`
	Name       string          `json:"name"`
	ScopeName  string          `json:"scopeName"`
	FileTypes  []string        `json:"fileTypes"`
	FirstLine  string          `json:"firstLineMatch"`
	Patterns   []rule          `json:"patterns"`
	Repository map[string]rule `json:"repository"`
}

// A rule is a pattern, what lies between two patterns, or a list of others.
type rule struct {
	Include  string `json:"include,omitempty"`
	Name     string `json:"name,omitempty"`
	Match    string `json:"match,omitempty"`
	Begin    string `json:"begin,omitempty"`
	End      string `json:"end,omitempty"`
	Patterns []rule `json:"patterns,omitempty"`
}

// includes makes rules that include those of the names.
func includes(names ...string) []rule {
	var list []rule
	for _, n := range names {
		list = append(list, rule{Include: "#" + n})
	}
	return list
}

// word matches one of some words, whole.
func word(list []string) string {
	return `\b(?:` + strings.Join(list, "|") + `)\b`
}

// rules makes the grammar of the compiler's words.
func rules() grammar {
	keywords, typeWords := keywords()
	var variables, functions, aggregating []string
	for _, b := range check.Builtins() {
		variables = append(variables, b.Name)
	}
	for _, f := range check.FunctionList() {
		if check.Aggregates(f.Name) {
			aggregating = append(aggregating, f.Name)
		} else {
			functions = append(functions, f.Name)
		}
	}
	return grammar{
		Comment:   "Made by package grammar of dscope from the words of its compiler; not to be changed by hand.",
		Name:      "DTrace",
		ScopeName: "source.dtrace",
		FileTypes: []string{"d"},
		FirstLine: `^#!.*\b(?:dtrace|dscope)\b`,
		Patterns:  includes("comment", "control", "block", "predicate", "declaration", "probe"),
		Repository: map[string]rule{
			"comment": {Patterns: []rule{
				{Name: "comment.line.double-slash.dtrace", Match: `//.*`},
				{Name: "comment.block.dtrace", Begin: `/\*`, End: `\*/`},
			}},
			"control": {Name: "meta.preprocessor.dtrace", Match: `^[ \t]*#.*`},
			"block":   {Begin: `\{`, End: `\}`, Patterns: append(includes("block"), includes("code")...)},
			"predicate": {Begin: `/`, End: `/(?=[ \t]*(?:\{|;|$|//|/\*))`,
				Patterns: includes("code")},
			"declaration": {Begin: `(?=` + word(beginners()) + `(?:[^:]|$))|(?=\b[A-Za-z_]\w*[ \t]+\**[ \t]*[A-Za-z_])`, End: `;|\)(?=[ \t]*(?:\{|$))`,
				Patterns: append(includes("block"), includes("code")...)},
			"probe": {Name: "entity.name.function.probe.dtrace", Match: "[\\w\\-$:.?*\\[\\]!^\\\\`]+"},
			"code":  {Patterns: includes("comment", "control", "string", "number", "aggregation", "macro", "symbol", "member", "word")},
			"string": {Patterns: []rule{
				{Name: "string.quoted.double.dtrace", Begin: `"`, End: `"|$`, Patterns: []rule{
					{Name: "constant.character.escape.dtrace", Match: `\\.`}}},
				{Name: "string.quoted.single.dtrace", Match: `'(?:\\.|[^'\\])*'`},
			}},
			"number": {Name: "constant.numeric.dtrace",
				Match: `\b(?:0[xX][0-9a-fA-F]+[uUlL]*|[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?[fFlL]?|[0-9]+[uUlL]*)`},
			"aggregation": {Name: "variable.other.aggregation.dtrace", Match: `@\w*`},
			"macro":       {Name: "variable.parameter.macro.dtrace", Match: `\$\$?\w+`},
			"symbol":      {Name: "variable.other.kernel.dtrace", Match: "(?:[A-Za-z_]\\w*)?`[A-Za-z_]\\w*"},
			"member":      {Name: "variable.other.member.dtrace", Match: `(?:->|\.)[ \t]*[A-Za-z_]\w*`},
			"word": {Patterns: []rule{
				{Name: "keyword.control.dtrace", Match: word(keywords)},
				{Name: "storage.type.dtrace", Match: word(typeWords)},
				{Name: "support.function.aggregating.dtrace", Match: word(aggregating) + `(?=[ \t]*\()`},
				{Name: "support.function.dtrace", Match: word(functions) + `(?=[ \t]*\()`},
				{Name: "entity.name.function.dtrace", Match: `\b[A-Za-z_]\w*(?=[ \t]*\()`},
				{Name: "variable.language.dtrace", Match: word(variables)},
				{Name: "variable.other.dtrace", Match: `\b[A-Za-z_]\w*`},
			}},
		},
	}
}

// generate writes the grammar anew.
func generate() []byte {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	out.SetIndent("", "\t")
	if err := out.Encode(rules()); err != nil {
		panic("grammar: " + err.Error()) // of strings and lists alone
	}
	return b.Bytes()
}

// keywords lists the words of the scanner: those of types apart.
func keywords() (control, ofTypes []string) {
	for k := range token.Kind(255) {
		switch {
		case !k.IsKeyword():
		case isType(k):
			ofTypes = append(ofTypes, k.String())
		default:
			control = append(control, k.String())
		}
	}
	return control, ofTypes
}

func isType(k token.Kind) bool {
	return slices.Contains([]token.Kind{token.KwChar, token.KwDouble, token.KwFloat, token.KwInt, token.KwLong, token.KwShort,
		token.KwSigned, token.KwString, token.KwUnsigned, token.KwUserland, token.KwVoid, token.KwConst, token.KwVolatile,
		token.KwStruct, token.KwUnion, token.KwEnum}, k)
}

// beginners lists the words that begin a declaration.
func beginners() []string {
	control, list := keywords()
	for _, w := range control {
		switch token.Lookup(w) {
		case token.KwInline, token.KwProvider, token.KwTranslator, token.KwTypedef, token.KwExtern, token.KwStatic,
			token.KwSelf, token.KwThis, token.KwAuto, token.KwRegister, token.KwCounter, token.KwImport, token.KwRestrict:
			list = append(list, w)
		}
	}
	return list
}
