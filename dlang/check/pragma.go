package check

import (
	"strconv"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/option"
	"dscope.dev/dlang/token"
)

// pragma checks a control line: #pragma D option name=value, and its relatives.
func (c *checker) pragma(p *ast.Pragma) {
	word, rest := cutWord(strings.TrimPrefix(p.Text, "#"))
	switch {
	case strings.HasPrefix(p.Text, "#!"), word == "":
		return
	case isNumber(word):
		c.linePragma(p, word+rest)
		return
	case isDirective(word):
		c.directive(p, word, rest)
		return
	case word == "include" || word == "define" || word == "undef" || word == "if" || word == "ifdef" || word == "ifndef" ||
		word == "else" || word == "elif" || word == "endif" || word == "warning":
		c.errorf(p, diag.ControlLine, "invalid control directive: #%s", word).
			Suggest("it speaks to the preprocessor, which runs with -C")
		return
	case word != "pragma":
		c.errorf(p, diag.ControlLine, "invalid control directive: #%s", word)
		return
	}
	lang, rest := cutWord(rest)
	if lang != "D" {
		if isDirective(lang) {
			c.directive(p, lang, rest)
		}
		return // for another compiler
	}
	name, rest := cutWord(rest)
	if isDirective(name) {
		c.directive(p, name, rest)
		return
	}
	switch name {
	case "option":
		c.optionPragma(p, rest)
	case "attributes":
		c.attributesPragma(p, rest)
	case "binding":
		c.bindingPragma(p, rest)
	case "depends_on":
		c.dependsOn(p, rest)
	case "":
		c.errorf(p, diag.PragmaMalform, "#pragma D says nothing").Suggest("#pragma D option quiet")
	default:
		c.errorf(p, diag.PragmaInvalid, "D has no #pragma D %s", name).
			Suggest("there are option, attributes, binding, depends_on, error, line")
	}
}

// isDirective reports whether word may follow a bare # as well as #pragma.
func isDirective(word string) bool { return word == "error" || word == "ident" || word == "line" }

// directive checks error, ident and line.
func (c *checker) directive(p *ast.Pragma, word, rest string) {
	switch word {
	case "error":
		c.errorf(p, diag.PragmaError, "%s", strings.Trim(strings.TrimSpace(rest), `"`))
	case "line":
		c.linePragma(p, rest)
	}
}

// linePragma checks what #line says; the scanner has counted by it.
func (c *checker) linePragma(p *ast.Pragma, rest string) {
	number, rest := cutWord(rest)
	file := strings.TrimSpace(rest)
	if i := strings.LastIndexByte(file, '"'); i > 0 {
		file = file[:i+1] // what cpp adds are flags
	}
	if !isNumber(number) || file != "" && (len(file) < 2 || file[0] != '"' || file[len(file)-1] != '"') {
		c.errorf(p, diag.PragmaMalform, "#line needs a number, and perhaps a file").Suggest(`#line 12 "file.d"`)
	}
}

// allowed notes whether the script allows destructive actions. DTrace asks for
// that when tracing begins, so the option may stand below the actions.
func (c *checker) allowed(s *ast.Script) {
	for _, item := range s.Items {
		p, ok := item.(*ast.Pragma)
		if !ok {
			continue
		}
		f := strings.Fields(strings.TrimPrefix(p.Text, "#"))
		if len(f) == 4 && f[0] == "pragma" && f[1] == "D" && f[2] == "option" {
			if name, value, _ := strings.Cut(f[3], "="); name == "destructive" {
				c.noteOption(Option{Name: name, Value: strings.Trim(value, `"`)})
			}
		}
	}
}

func cutWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t")
	if i := strings.IndexAny(s, " \t"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// dependsOn checks #pragma D depends_on class name.
func (c *checker) dependsOn(p *ast.Pragma, rest string) {
	class, rest := cutWord(rest)
	name, _ := cutWord(rest)
	switch {
	case name == "":
		c.errorf(p, diag.PragmaMalform, "#pragma D depends_on needs a class and a name")
	case c.library != nil: // who loaded it has seen to that
	case class == "library":
		c.errorf(p, diag.PragmaDepend, "only a library may depend on a library").Suggest("drop the line: libraries are loaded as they are needed")
	case class == "provider":
		if _, err := c.env.Probes(&ast.ProbeDesc{Text: name + ":::", Provider: name, At: p.At}); err != nil {
			c.errorf(p, diag.PragmaDepend, "the script needs the provider %s, which is not here", name)
		}
	case class == "module":
		if !c.env.HasModule(name) {
			c.errorf(p, diag.PragmaDepend, "the script needs the module %s, which the kernel has not loaded", name)
		}
	default:
		c.errorf(p, diag.PragmaInvalid, "%s is no class for depends_on", class).Suggest("there are module, provider, library")
	}
}

// optionPragma checks name or name=value.
func (c *checker) optionPragma(p *ast.Pragma, rest string) {
	text := strings.TrimSpace(rest)
	name, value, hasValue := strings.Cut(text, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	from := int(p.Span().From) + strings.LastIndex(p.Text, text)
	place := &ast.Name{At: ast.At{From: token.Pos(from), To: token.Pos(from + len(text))}}
	switch {
	case text == "":
		c.errorf(p, diag.PragmaMalform, "#pragma D option names no option").Suggest("#pragma D option quiet")
		return
	case strings.ContainsAny(name, " \t") || hasValue && strings.ContainsAny(value, " \t"):
		c.errorf(place, diag.PragmaMalform, "one #pragma D option sets one option").Suggest("write a line for each")
		return
	}
	if hasValue {
		value = strings.Trim(value, `"`)
	}
	o := option.Find(name)
	if o == nil {
		c.unknownOption(place, name)
		return
	}
	if o.Time == option.CommandLine {
		c.errorf(place, diag.PragmaOption, "a script cannot set option %s", name).Suggest("set it on the command line: -x %s", text)
		return
	}
	if err := ValidOption(o, value); err != nil {
		badOption(c.errorf(place, diag.PragmaOption, "failed to set option '%s' to '%s': %s", name, value, reason(err)), err)
		return
	}
	opt := Option{Name: name, Value: value, At: place.Span()}
	c.prog.Options = append(c.prog.Options, opt)
	c.noteOption(opt)
}

func (c *checker) unknownOption(at ast.Node, name string) {
	say := c.errorf(at, diag.PragmaOption, "there is no option %s", name)
	if near := nearest(name, option.Names()); near != "" {
		say.Suggest("did you mean %s?", near).Instead(nameAfter(at.Span().From-1, name), near)
	}
}

// noteOption applies an option that changes what the checker does.
func (c *checker) noteOption(o Option) {
	on, err := option.Flag(o.Value)
	on = on && err == nil
	switch o.Name {
	case "strsize":
		if n, err := option.Size(o.Value); err == nil && n > 0 && n < 1<<30 {
			c.strsize = int(n)
		}
	case "scratchsize":
		if n, err := option.Size(o.Value); err == nil {
			c.scratchsize = int(min(n, 1<<30))
		}
	case "amin":
		c.setMinimum(o.Value)
	case "version":
		c.setVersion(o.Value)
	case "nolibs":
		c.opts.NoLibraries = c.opts.NoLibraries || on
	case "examples":
		c.noteExamples(o.Value)
	case "tregs":
		c.tregs, _ = strconv.Atoi(o.Value)
	case "zdefs":
		c.opts.ZeroProbesOK = c.opts.ZeroProbesOK || on
	case "destructive":
		c.opts.Destructive = c.opts.Destructive || on
	case "defaultargs":
		c.opts.DefaultArgs = c.opts.DefaultArgs || on
	case "argref":
		c.opts.ArgRef = c.opts.ArgRef || on
	case "empty":
		c.opts.EmptyOK = c.opts.EmptyOK || on
	}
}
