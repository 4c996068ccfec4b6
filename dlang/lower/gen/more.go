package gen

import (
	"fmt"
	"net/netip"
	"path"
	"strings"

	"dscope.dev/dlang/ast"
)

// path is a string that cleanpath() has something to do with.
func (m *Maker) path() string {
	var b strings.Builder
	for range m.r.IntN(7) {
		b.WriteString(pick(m.r, "/", "/", "..", ".", "a", "bc/"))
	}
	return fmt.Sprintf("%q", b.String())
}

// address spells an address of the network, which may not be one.
func (m *Maker) address() string {
	at := pick(m.r, "copyin(arg2, 20)", "(void *)arg1", "(void *)args[1]", "(void *)args[1]->next", "(void *)(arg4 & 7)")
	return pick(m.r, "inet_ntoa((uint32_t *)copyin(arg2, 4))", "inet_ntoa((uint32_t *)args[1])",
		fmt.Sprintf("inet_ntop(%s, %s)", pick(m.r, "2", "10", "10", "(arg4 & 15)"), at),
		fmt.Sprintf("link_ntop(%s, %s)", pick(m.r, "1", "32", "(arg4 & 1)"), at))
}

// perhaps is a string that may be NULL.
func (m *Maker) perhaps() string {
	switch m.r.IntN(3) {
	case 0:
		text := pick(m.r, `"{\"a\":[1,{\"b\":\"x\"}],\"c\":-2.5e3,\"d\":null}"`, `"[[0,\"y\\u0041\"],{}, true ]"`, `"{\"a\":{\"a\":{\"b\":7}}}"`, m.str())
		return fmt.Sprintf("json(%s, %s)", text, pick(m.r, `"a"`, `"c"`, `"d"`, `"a[0]"`, `"a[1].b"`, `"[0][1]"`, `"[1]"`, `"[2]"`, `"a.a.b"`, `"a.a"`, m.str()))
	case 1:
		return fmt.Sprintf("strtok(%s, %s)", pick(m.r, "NULL", m.str(), `"/a,b//c"`), pick(m.r, `"/"`, `",/"`, `"ab"`, m.str()))
	}
	return fmt.Sprintf("strchr(%s, 'a')", m.str())
}

// callMore computes the subroutines that are not in call.
func (j *Judge) callMore(x *ast.Call, a []val) val {
	switch x.Fn.Text {
	case "cleanpath":
		if a[0].s == "" {
			return val{}
		}
		return val{s: j.cut(path.Clean(a[0].s))}
	case "getmajor":
		return val{n: int64(uint32(a[0].n) >> 20)}
	case "getminor":
		return val{n: a[0].n & (1<<20 - 1)}
	case "inet_ntoa":
		return val{s: j.cut(j.ipv4(a[0].n))}
	case "inet_ntop":
		switch int32(a[0].n) {
		case 2:
			return val{s: j.cut(j.ipv4(a[1].n))}
		case 10:
			return val{s: j.cut(ipv6([16]byte(j.bytes(j.kernel, a[1].n, 16))))}
		}
		panic(fault{3, int64(int32(a[0].n))})
	case "link_ntop":
		n := map[int32]int64{1: 6, 32: 20}[int32(a[0].n)]
		if n == 0 {
			panic(fault{3, int64(int32(a[0].n))})
		}
		return val{s: j.cut(strings.ReplaceAll(fmt.Sprintf("% x", j.bytes(j.kernel, a[1].n, n)), " ", ":"))}
	case "json":
		if s, ok := jsonFind(a[0].s, a[1].s); ok {
			return val{s: j.cut(s)}
		}
		return val{null: true}
	}
	panic("gen: no subroutine " + x.Fn.Text)
}

func (j *Judge) ipv4(addr int64) string {
	return netip.AddrFrom4([4]byte(j.bytes(j.kernel, addr, 4))).String()
}

// ipv6 spells an address, and the part of one of IPv4 in it as such.
func ipv6(b [16]byte) string {
	a, quad := netip.AddrFrom16(b), netip.AddrFrom4([4]byte(b[12:])).String()
	if a.Is4In6() {
		return "::ffff:" + quad
	}
	if [12]byte(b[:12]) == [12]byte{} && (b[12]|b[13]|b[14] != 0 || b[15] > 1) {
		return "::" + quad
	}
	return a.String()
}

// strtok gives the next token; the byte that ends it is left.
func (j *Judge) strtok(x *ast.Call) val {
	if v := j.anyText(x.Args[0]); !v.null {
		s := j.cut(v.s)
		j.token = &s
	} else if j.token == nil {
		panic(fault{1, 0})
	}
	ends := j.text(x.Args[1])
	is := func(i int) bool { return strings.IndexByte(ends, (*j.token)[i]) >= 0 }
	from := 0
	for from < len(*j.token) && is(from) {
		from++
	}
	to := from
	for to < len(*j.token) && !is(to) {
		to++
	}
	v := val{s: (*j.token)[from:to], null: from == to}
	rest := (*j.token)[to:]
	j.token = &rest
	return v
}

// character is one of a string, or 0 behind its end.
func (j *Judge) character(x *ast.Index) val {
	v, i := j.anyText(x.X), j.int(x.Args[0])
	if v.null {
		panic(fault{1, i}) // as if NULL were address 0
	}
	s := v.s
	if uint64(i) >= uint64(j.strSize) {
		panic(fault{11, i})
	}
	if i >= int64(len(s)) {
		return val{}
	}
	return val{n: int64(int8(s[i]))}
}
