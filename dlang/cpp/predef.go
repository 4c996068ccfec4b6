package cpp

import (
	"fmt"
	"strings"
)

// always are the names that Oracle's dtrace defines whatever the machine. It
// undefines __GNUC__, so that headers keep to C; those of the kernel use some of
// GNU's words all the same, which have a plain meaning or none. Attributes stay: some
// decide about the layout of a struct.
const always = `__linux 1
__linux__ 1
__gnu_linux__ 1
__Linux 1
__unix 1
__unix__ 1
__SVR4 1
__ELF__ 1
__SUNW_D 1
__SUNW_D_64 1
__SUNW_D_VERSION 0x02000000
__LP64__ 1
_LP64 1
__CHAR_BIT__ 8
__SIZEOF_SHORT__ 2
__SIZEOF_INT__ 4
__SIZEOF_LONG__ 8
__SIZEOF_LONG_LONG__ 8
__SIZEOF_POINTER__ 8
__SIZEOF_SIZE_T__ 8
__SCHAR_MAX__ 127
__SHRT_MAX__ 32767
__INT_MAX__ 2147483647
__LONG_MAX__ 9223372036854775807L
__LONG_LONG_MAX__ 9223372036854775807LL
__SIZE_TYPE__ unsigned long
__PTRDIFF_TYPE__ long
__WCHAR_TYPE__ int
__WINT_TYPE__ unsigned int
__ORDER_LITTLE_ENDIAN__ 1234
__ORDER_BIG_ENDIAN__ 4321
__ORDER_PDP_ENDIAN__ 3412
__BYTE_ORDER__ 1234
__signed__ signed
__const__ const
__volatile__ volatile
__inline__
__extension__
`

// machines are the names that the compilers define for a machine.
var machines = map[string]string{
	"amd64": "__x86_64 1\n__x86_64__ 1\n__amd64 1\n__amd64__ 1\n",
	"arm64": "__aarch64__ 1\n__AARCH64EL__ 1\n__CHAR_UNSIGNED__ 1\n",
}

// builtin is the file in which the names above are defined.
const builtin = "<built-in>"

// predefine defines what is defined before the first line.
func (p *processor) predefine() {
	var b strings.Builder
	list := always + machines[p.cfg.Arch]
	switch p.cfg.Std {
	case "s": // K&R
	case "c", "t":
		list += "__STDC__ 1\n__STDC_VERSION__ 199901L\n__STDC_HOSTED__ 1\n"
	default: // dtrace asks for C99; the C library declares what its users expect all the same
		list += "__STDC__ 1\n__STDC_VERSION__ 199901L\n__STDC_HOSTED__ 1\n__STRICT_ANSI__ 1\n_DEFAULT_SOURCE 1\n"
	}
	list += fmt.Sprintf("__DATE__ %q\n__TIME__ %q\n", p.cfg.Now.Format("Jan _2 2006"), p.cfg.Now.Format("15:04:05"))
	for line := range strings.Lines(list) {
		b.WriteString("#define " + line)
	}
	own := newSource(builtin, b.String())
	p.file(own)
	for name, special := range map[string]string{
		"__LINE__": "line", "__FILE__": "file", "__COUNTER__": "counter", "__INCLUDE_LEVEL__": "level",
		"__has_include": "header", "__has_include_next": "header",
	} {
		p.macros[name] = &macro{name: name, special: special, at: place{src: own}}
	}
	b.Reset()
	for _, d := range p.cfg.Defines {
		text, _, _ := strings.Cut(d.Text, "\n")
		name, value, given := strings.Cut(text, "=")
		switch {
		case d.Undef:
			b.WriteString("#undef " + text + "\n")
		case given:
			b.WriteString("#define " + name + " " + value + "\n")
		default:
			b.WriteString("#define " + name + " 1\n")
		}
	}
	p.file(newSource("<command line>", b.String()))
	p.out = output{}
}
