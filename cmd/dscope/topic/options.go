package topic

import (
	"fmt"
	"strings"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/check"
)

// valueOf says what an option of each kind takes.
var valueOf = map[check.OptionKind]string{
	check.Flag: "", check.Size: "=SIZE", check.Rate: "=RATE", check.Number: "=N", check.Text: "=VALUE",
}

// options returns the list of all options, as the compiler and the completion of the
// workbench have it.
func options() string {
	var b strings.Builder
	for _, name := range check.OptionNames() {
		o, _ := check.LookupOption(name)
		value, mark := valueOf[o.Kind], ""
		if o.Kind == check.Policy {
			value = "=" + strings.Join(o.Words, "|")
		}
		switch o.Time {
		case check.Dynamic:
			mark = " *"
		case check.CommandLine:
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
