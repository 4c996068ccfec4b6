// Package header writes the C header by which a program defines the probes that a
// provider declaration names:
//
//	provider shop { probe sale__done(int count, char *what); };
//
// gives SHOP_SALE_DONE(count, what), and SHOP_SALE_DONE_ENABLED() for work that is of
// use to nobody but a tracer.
//
// A probe is a nop. What the compiler knows of it goes into an entry of the section
// .note.stapsdt, in the form that sys/sdt.h of SystemTap gives it, so that every
// tracer for Linux finds it. Nothing has to be linked in or run for it: the header
// is all. Whether a probe is enabled a counter tells, which the kernel keeps while
// somebody listens.
//
// Arguments are of the declared types: integers by size and sign, all pointers, arrays
// and strings as addresses. What is declared behind a colon are the arguments that
// scripts are to see, each named after the one that it is made of: they come in that
// order. Into what type they are translated has no place in a note and is left out.
package header

import (
	"bytes"
	"fmt"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/token"
)

// most is how many arguments a probe can have: so many as the marks of others have. D
// has names for the first ten.
const most = 12

// Write returns the header for the providers that a script declares. name is that of
// the file, in words for a comment.
func Write(f *token.File, script *ast.Script) ([]byte, error) {
	var b bytes.Buffer
	w := writer{f, &b}
	b.WriteString(prelude)
	providers := 0
	for _, item := range script.Items {
		p, ok := item.(*ast.Provider)
		if !ok {
			continue
		}
		providers++
		for _, probe := range p.Probes {
			if err := w.probe(p.Name.Text, probe); err != nil {
				return nil, err
			}
		}
	}
	if providers == 0 {
		return nil, fmt.Errorf("%s declares no provider", f.Name)
	}
	return b.Bytes(), nil
}

// prelude is what all probes have in common.
const prelude = `/* Made of provider declarations; whoever changes them makes it anew. */

#ifndef DSCOPE_NOTE
#if !defined(__x86_64__) && !defined(__aarch64__)
#error "probes can be defined on x86-64 and arm64"
#endif

/* A nop, and a note of where it is, what it is called, and where its arguments lie. */
#define DSCOPE_NOTE(provider, name, args) \
	"990:	nop\n" \
	"	.pushsection .note.stapsdt,\"?\",%%note\n" \
	"	.balign 4\n" \
	"	.4byte 992f-991f, 994f-993f, 3\n" \
	"991:	.asciz \"stapsdt\"\n" \
	"992:	.balign 4\n" \
	"993:	.8byte 990b, _.stapsdt.base, " provider "_" name "_semaphore\n" \
	"	.asciz \"" provider "\"\n" \
	"	.asciz \"" name "\"\n" \
	"	.asciz \"" args "\"\n" \
	"994:	.balign 4\n" \
	"	.popsection\n" \
	"	.ifndef _.stapsdt.base\n" \
	"	.pushsection .stapsdt.base,\"aG\",%%progbits,.stapsdt.base,comdat\n" \
	"	.weak _.stapsdt.base\n" \
	"	.hidden _.stapsdt.base\n" \
	"_.stapsdt.base:	.space 1\n" \
	"	.size _.stapsdt.base, 1\n" \
	"	.popsection\n" \
	"	.endif\n"

/* The size of a type, as %n prints it: negative if the type has a sign. */
#define DSCOPE_SIZE(type) ((type)-1 < (type)1 ? (int)sizeof (type) : -(int)sizeof (type))

/* Counts who listens. */
#ifdef __cplusplus
#define DSCOPE_COUNTER(name) extern "C" { DSCOPE_COUNTER_(name) }
#else
#define DSCOPE_COUNTER(name) DSCOPE_COUNTER_(name)
#endif
#define DSCOPE_COUNTER_(name) \
	__attribute__((weak, used, visibility("hidden"), section(".probes"))) volatile unsigned short name;
#endif
`

type writer struct {
	file *token.File
	b    *bytes.Buffer
}

// probe writes the macros of a probe.
func (w writer) probe(provider string, p *ast.ProbeDecl) error {
	name := strings.ReplaceAll(p.Name.Text, "-", "__")
	macro := upper(provider) + "_" + upper(name)
	var params, operands []string
	for i, param := range p.In {
		if isVoid(param.Type) && len(p.In) == 1 {
			break
		}
		t, err := w.typ(param.Type)
		if err != nil {
			return fmt.Errorf("probe %s of provider %s: argument %d: %w", p.Name.Text, provider, i, err)
		}
		arg := fmt.Sprintf("arg%d", i)
		params = append(params, arg)
		operands = append(operands, fmt.Sprintf("[s%d] \"n\" (DSCOPE_SIZE(%s)), [a%d] \"nor\" ((%s)(%s))", i, t, i, t, arg))
	}
	seen := shown(p, len(params))
	if n := max(len(params), len(seen)); n > most {
		return fmt.Errorf("probe %s of provider %s has %d arguments; there can be %d", p.Name.Text, provider, n, most)
	}
	var args []string
	for _, i := range seen {
		args = append(args, fmt.Sprintf("%%n[s%d]@%%[a%d]", i, i))
	}
	counter := provider + "_" + name + "_semaphore"
	fmt.Fprintf(w.b, "\nDSCOPE_COUNTER(%s)\n", counter)
	fmt.Fprintf(w.b, "#define %s_ENABLED() __builtin_expect(%s != 0, 0)\n", macro, counter)
	fmt.Fprintf(w.b, "#define %s(%s) \\\n\t__asm__ volatile (DSCOPE_NOTE(%q, %q, %q)", macro, strings.Join(params, ", "), provider, name, strings.Join(args, " "))
	if len(operands) == 0 {
		fmt.Fprintf(w.b, " ::)\n") // a template with % has operands, if none
		return nil
	}
	fmt.Fprintf(w.b, " \\\n\t    :: %s)\n", strings.Join(operands, ", \\\n\t       "))
	return nil
}

// shown returns which of the n arguments of the program scripts are to see, in order:
// all, unless those behind the colon are named after some of them.
func shown(p *ast.ProbeDecl, n int) []int {
	numbers := map[string]int{}
	all := make([]int, n)
	for i, param := range p.In[:n] {
		all[i] = i
		if param.Name != nil {
			numbers[param.Name.Text] = i
		}
	}
	var list []int
	for _, param := range p.Out {
		if param.Name == nil {
			return all
		}
		i, ok := numbers[param.Name.Text]
		if !ok {
			return all
		}
		list = append(list, i)
	}
	if len(list) == 0 {
		return all
	}
	return list
}

// upper makes a name of a macro.
func upper(name string) string {
	return strings.ToUpper(strings.ReplaceAll(strings.ReplaceAll(name, "__", "_"), "-", "_"))
}

func isVoid(t ast.Type) bool {
	b, ok := t.(*ast.Basic)
	return ok && len(b.Words) == 1 && b.Words[0] == "void"
}

// address is the type of everything that is passed by its address.
const address = "__UINTPTR_TYPE__"

// known are the types that D has without a declaration, by the names that compilers
// give them themselves: so a header needs no other before it.
var known = map[string]string{
	"string": address, "uintptr_t": address, "intptr_t": "__INTPTR_TYPE__", "size_t": "__SIZE_TYPE__",
	"int8_t": "__INT8_TYPE__", "int16_t": "__INT16_TYPE__", "int32_t": "__INT32_TYPE__", "int64_t": "__INT64_TYPE__",
	"uint8_t": "__UINT8_TYPE__", "uint16_t": "__UINT16_TYPE__", "uint32_t": "__UINT32_TYPE__", "uint64_t": "__UINT64_TYPE__",
	"uchar_t": "unsigned char", "ushort_t": "unsigned short", "uint_t": "unsigned int", "ulong_t": "unsigned long",
	"longlong_t": "long long", "u_longlong_t": "unsigned long long",
}

// typ returns the type of C in which an argument is passed.
func (w writer) typ(t ast.Type) (string, error) {
	switch t := t.(type) {
	case *ast.Pointer, *ast.Array, *ast.Func:
		return address, nil
	case *ast.Basic:
		words := strings.Join(t.Words, " ")
		for _, bad := range []string{"float", "double", "void"} {
			if strings.Contains(words, bad) {
				return "", fmt.Errorf("%s cannot be passed: it is no integer and no address", words)
			}
		}
		if words == "string" {
			return address, nil
		}
		return words, nil
	case *ast.Named:
		if own, ok := known[t.Name]; ok {
			return own, nil
		}
		return t.Name, nil
	case *ast.Enum:
		return "int", nil
	}
	return "", fmt.Errorf("%s cannot be passed: pass its address", strings.TrimSpace(w.file.Text(t.Span())))
}
