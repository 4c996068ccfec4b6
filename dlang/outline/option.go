package outline

import (
	"strings"

	"dscope.dev/dlang/option"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
)

// Set returns what of a script has to be replaced, and by what, for a pragma to set an
// option: the last pragma that sets it, or a line of its own before all else. The rest of
// the text stays as it is.
func Set(script, name, value string) (from, to int, text string) {
	line := "#pragma D option " + name
	if value != "" {
		line += "=" + value
	}
	f := token.NewFile("script", script)
	found := false
	at := 0 // behind a first line that names the interpreter
	for _, t := range scanner.Scan(f) {
		if t.Kind != token.Control {
			continue
		}
		start, end := int(t.Span.From)-1, int(t.Span.To)-1
		control := script[start:end]
		if start == 0 && strings.HasPrefix(control, "#!") {
			at = end
		}
		if sets(control, name) {
			found, from, to = true, start, start+len(strings.TrimRight(control, " \t\v\f\r\n"))
		}
	}
	if found {
		return from, to, line
	}
	nl := "\n"
	if strings.Contains(script, "\r\n") {
		nl = "\r\n"
	}
	if at > 0 {
		return at, at, nl + line
	}
	return 0, 0, line + nl
}

// Sets reports whether a pragma of the script sets the option.
func Sets(script, name string) bool {
	from, to, _ := Set(script, name, "")
	return from < to
}

// Size returns the number of bytes, or of what else, that the script sets an option to.
func Size(script, name string) (n int, ok bool) {
	from, to, _ := Set(script, name, "")
	_, value, given := strings.Cut(script[from:to], "=")
	if !given {
		return 0, false
	}
	size, err := option.Size(strings.Trim(strings.TrimSpace(value), `"`))
	return int(size), err == nil
}

// sets reports whether a control line sets the option.
func sets(control, name string) bool {
	words := strings.Fields(strings.TrimPrefix(strings.TrimLeft(control, " \t"), "#"))
	if len(words) < 4 || words[0] != "pragma" || words[1] != "D" || words[2] != "option" {
		return false
	}
	given, _, _ := strings.Cut(words[3], "=")
	return strings.EqualFold(given, name)
}
