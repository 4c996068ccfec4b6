package check

import (
	"errors"
	"strconv"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// macro resolves $1, $$1 and $target. As in DTrace, the text of $1 stands as if it
// were written in the script, if it is a number or a name, and any other is a string,
// whose quotes are left out. $$1 is always a string. Both may hold escapes.
func (c *checker) macro(x *ast.Macro) types.Type {
	text, ok := c.macroText(x.Name)
	switch {
	case !ok && c.opts.DefaultArgs && isNumber(x.Name) && x.Quoted:
		return c.str(x, "")
	case !ok && c.opts.DefaultArgs && isNumber(x.Name):
		return c.setConst(x, 0, types.IntType)
	case !ok:
		return c.macroUndefined(x)
	case x.Quoted:
		return c.str(x, scanner.Unescape(text))
	}
	if v, t, ok := parseInt(text); ok {
		return c.setConst(x, v, t)
	}
	if isName(text) {
		return c.ident(x, text)
	}
	if x.Name == "0" {
		return c.str(x, text) // the name of the script
	}
	if overflows(text) {
		c.errorf(x, diag.MacroOverflow, "macro argument $%s constant %s results in integer overflow", x.Name, text).
			Suggest("take it as a string: $$%s", x.Name)
		return types.Bad
	}
	if !isWord(text) {
		return c.str(x, scanner.Unescape(unquoted(text)))
	}
	if module, name, ok := strings.Cut(text, "`"); ok {
		return c.expand(x, &ast.KSym{Module: module, Name: name, At: x.At})
	}
	c.errorf(x, diag.MacroUndef, "$%s is %q, which is neither a number nor a name", x.Name, text).
		Suggest("take it as a string: $$%s", x.Name)
	return types.Bad
}

// isWord reports whether s looks like one word of D: what it is then, it must be rightly.
func isWord(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r > 127 || r != '`' && !scanner.IsNameByte(byte(r)) })
}

// unquoted leaves out the quotes around an argument, which the shell has left there.
func unquoted(s string) string {
	if n := len(s); n > 1 && s[0] == '"' && s[n-1] == '"' {
		return s[1 : n-1]
	}
	return s
}

// overflows reports whether text is a number that is too big for any integer.
func overflows(text string) bool {
	_, err := strconv.ParseUint(strings.TrimLeft(text, "+-"), 0, 64)
	return errors.Is(err, strconv.ErrRange)
}

func (c *checker) macroUndefined(x *ast.Macro) types.Type {
	say := c.errorf(x, diag.MacroUndef, "$%s has no value", x.Name)
	switch {
	case isNumber(x.Name):
		say.Suggest("give it after the script, or let missing arguments be 0 with -x defaultargs").Set("defaultargs")
	case x.Name == "target":
		say.Suggest("name the process with -p, or start it with -c")
	default:
		say.Suggest("the names are pid, ppid, uid, gid, euid, egid, sid, pgid, projid, taskid, target")
	}
	return types.Bad
}

// macroText looks a macro argument up and notes that it was read.
func (c *checker) macroText(name string) (string, bool) {
	text, ok := c.opts.Macros[name]
	c.used[name] = true
	return text, ok
}

// macroIdent returns the name that $1 stands for, if it stands for one.
func (c *checker) macroIdent(x *ast.Macro) (string, bool) {
	if x.Quoted {
		return "", false
	}
	text, ok := c.macroText(x.Name)
	return text, ok && isName(text)
}

// expandMacros replaces the macro arguments in a part of a probe description.
func (c *checker) expandMacros(at ast.Node, s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '$')
		if i < 0 {
			return b.String() + s
		}
		b.WriteString(s[:i])
		s = strings.TrimPrefix(s[i+1:], "$")
		n := 0
		for n < len(s) && (scanner.IsNameByte(s[n]) && !(n > 0 && isNumber(s[:n]) && !isDigit(s[n]))) {
			n++
		}
		text, ok := c.macroText(s[:n])
		if s[:n] == "target" && text == "0" {
			c.errorf(at, diag.MacroUndef, "$target has no value: it needs -c or -p").
				Suggest("run a command with -c, or name a process with -p")
		}
		if !ok && !(c.opts.DefaultArgs && isNumber(s[:n])) {
			c.errorf(at, diag.MacroUndef, "$%s has no value", s[:n])
		}
		b.WriteString(text)
		s = s[n:]
	}
}

// unread complains about arguments that the script does not read: most likely
// a script or a number was misspelt.
func (c *checker) unread() {
	if c.opts.ArgRef {
		return
	}
	last := 0
	for name := range c.opts.Macros {
		if isNumber(name) {
			n, err := strconv.Atoi(name)
			if err == nil {
				last = max(last, n)
			}
		}
	}
	if name := strconv.Itoa(last); last > 0 && !c.used[name] {
		c.list.Add(token.Span{From: 1, To: 1}, diag.MacroUnused, "extraneous argument '%s' ($%s is not referenced)", c.opts.Macros[name], name).
			Suggest("drop it, read it with $%s, or allow it with -x argref", name)
	}
}

// parseInt reads a number as D writes it, with an optional sign.
func parseInt(s string) (int64, types.Type, bool) {
	body := strings.TrimPrefix(strings.TrimPrefix(s, "+"), "-")
	if len(s)-len(body) > 1 || body == "" || !isDigit(body[0]) {
		return 0, nil, false
	}
	lit, fault := scanner.Int(body)
	if fault != nil {
		return 0, nil, false
	}
	t := litType(lit.Value, lit.Unsigned, lit.Longs, body)
	if t == nil {
		return 0, nil, false
	}
	if s[0] == '-' {
		return types.Wrap(-int64(lit.Value), t), t, true
	}
	return types.Wrap(int64(lit.Value), t), t, true
}

func isNumber(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// isName reports whether s is an identifier that is no keyword.
func isName(s string) bool {
	if s == "" || isDigit(s[0]) || token.Lookup(s) != token.Ident {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 127 || !scanner.IsNameByte(byte(r)) })
}
