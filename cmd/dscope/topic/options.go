package topic

import (
	"fmt"
	"strings"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/option"
)

// valueOf says what an option of each kind takes.
var valueOf = map[option.Kind]string{
	option.OnOff: "", option.Bytes: "=SIZE", option.Every: "=RATE", option.Number: "=N", option.Text: "=VALUE",
}

// options returns the list of all options, as the compiler and the completion of the
// workbench have it.
func options() string {
	var b strings.Builder
	for _, name := range option.Names() {
		o := option.Find(name)
		value, mark := valueOf[o.Kind], ""
		if o.Kind == option.OneOf {
			value = "=" + strings.Join(o.Words, "|")
		}
		switch o.Time {
		case option.Dynamic:
			mark = " *"
		case option.CommandLine:
			mark = ", with -x alone"
		}
		fmt.Fprintf(&b, "\n`%s%s`%s\n%s", o.Name, value, mark, told(o.Help))
	}
	return b.String()
}

// told lays out what is told of a term.
func told(text string) string {
	const indent = "    "
	wrapped := usage.Wrap(text, len(indent))
	return ":   " + strings.TrimPrefix(wrapped, indent)
}
