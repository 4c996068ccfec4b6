package grammar

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Sublime returns the same grammar in the form of a .sublime-syntax file, which bat and
// Sublime Text read.
func Sublime() []byte {
	g := rules()
	var b strings.Builder
	fmt.Fprintf(&b, "%%YAML 1.2\n---\n# %s\nname: %s\nfile_extensions: [%s]\nfirst_line_match: %s\nscope: %s\ncontexts:\n",
		g.Comment, g.Name, strings.Join(g.FileTypes, ", "), quoted(g.FirstLine), g.ScopeName)
	b.WriteString("  main:\n")
	sublimeRules(&b, "    ", g.Patterns)
	for _, name := range slices.Sorted(maps.Keys(g.Repository)) {
		r := g.Repository[name]
		list := []rule{r}
		if r.Match == "" && r.Begin == "" {
			list = r.Patterns
		}
		fmt.Fprintf(&b, "  %s:\n", name)
		sublimeRules(&b, "    ", list)
	}
	return []byte(b.String())
}

// sublimeRules writes rules as the items of a context.
func sublimeRules(b *strings.Builder, indent string, list []rule) {
	for _, r := range list {
		switch {
		case r.Include != "":
			fmt.Fprintf(b, "%s- include: %s\n", indent, strings.TrimPrefix(r.Include, "#"))
		case r.Begin == "":
			fmt.Fprintf(b, "%s- match: %s\n%s  scope: %s\n", indent, quoted(r.Match), indent, r.Name)
		default:
			fmt.Fprintf(b, "%s- match: %s\n", indent, quoted(r.Begin))
			if r.Name != "" {
				fmt.Fprintf(b, "%s  scope: %s\n", indent, r.Name)
			}
			fmt.Fprintf(b, "%s  push:\n", indent)
			if r.Name != "" {
				fmt.Fprintf(b, "%s    - meta_content_scope: %s\n", indent, r.Name)
			}
			fmt.Fprintf(b, "%s    - match: %s\n", indent, quoted(r.End))
			if r.Name != "" {
				fmt.Fprintf(b, "%s      scope: %s\n", indent, r.Name)
			}
			fmt.Fprintf(b, "%s      pop: true\n", indent)
			sublimeRules(b, indent+"    ", r.Patterns)
		}
	}
}

// quoted writes an expression as a string of YAML, in which only the quote has a meaning.
func quoted(expr string) string { return "'" + strings.ReplaceAll(expr, "'", "''") + "'" }
