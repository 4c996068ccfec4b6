package gen

import (
	"math/bits"
	"strconv"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/types"
)

// call computes a subroutine, by the words of the guides.
func (j *Judge) call(x *ast.Call) val {
	if f := j.prog.Calls[x].User; f != nil {
		return j.userCall(x, f)
	}
	if x.Fn.Text == "strtok" {
		return j.strtok(x)
	}
	var a []val
	for _, arg := range x.Args {
		if types.IsStringLike(j.typ(arg)) {
			a = append(a, val{s: j.text(arg)})
			continue
		}
		a = append(a, j.eval(arg))
	}
	more := func(i int, or int64) int64 {
		if i < len(a) {
			return a[i].n
		}
		return or
	}
	text := func(s string) val { return val{s: j.cut(s)} }
	rest := func(i int) val {
		v := text(from(a[0].s, i))
		v.null = i < 0
		return v
	}
	switch x.Fn.Text {
	case "strlen":
		return val{n: int64(len(a[0].s))}
	case "strjoin":
		return text(a[0].s + a[1].s)
	case "index":
		return val{n: index(a[0].s, a[1].s, more(2, 0))}
	case "rindex":
		return val{n: rindex(a[0].s, a[1].s, more(2, int64(len(a[0].s))))}
	case "strstr":
		return rest(strings.Index(a[0].s, a[1].s))
	case "strchr":
		return rest(strings.IndexByte(a[0].s+"\x00", byte(a[1].n)))
	case "strrchr":
		return rest(strings.LastIndexByte(a[0].s+"\x00", byte(a[1].n)))
	case "substr":
		return text(substr(a[0].s, a[1].n, more(2, int64(j.strSize))))
	case "tolower":
		return text(letters(a[0].s, 'A'))
	case "toupper":
		return text(letters(a[0].s, 'a'))
	case "basename":
		return text(basename(a[0].s))
	case "dirname":
		return text(dirname(a[0].s))
	case "lltostr":
		return text(spell(a[0].n, base(more(1, 10))))
	case "strtoll":
		return val{n: parse(a[0].s, base(more(1, 10)))}
	case "copyinstr":
		return val{s: j.str(j.user, a[0].n, more(1, 1<<20)-1)}
	case "copyin":
		return val{n: j.copyin(x, a[0].n, a[1].n)}
	case "htons", "ntohs":
		return val{n: int64(bits.ReverseBytes16(uint16(a[0].n)))}
	case "htonl", "ntohl":
		return val{n: int64(bits.ReverseBytes32(uint32(a[0].n)))}
	case "htonll", "ntohll":
		return val{n: int64(bits.ReverseBytes64(uint64(a[0].n)))}
	}
	return j.callMore(x, a)
}

// copyin copies memory of the process to where only the script sees it, with
// zeros up to a whole word and one more: its address is not one of the kernel's.
func (j *Judge) copyin(x *ast.Call, addr, n int64) int64 {
	if _, ok := j.prog.Consts[x.Args[1]]; !ok && uint64(n) > mostScratch {
		panic(fault{5, n})
	}
	more := (n + 7) &^ 7
	if j.scratch-j.before+more > mostScratch {
		panic(fault{5, n})
	}
	at := scratchAddr + j.scratch
	for i, c := range j.bytes(j.user, addr, n) {
		j.kernel[at+int64(i)] = c
	}
	for i := n; i < more+8; i++ {
		j.kernel[at+i] = 0
	}
	j.scratch += more
	return at
}

const (
	scratchAddr = 1 << 60
	mostScratch = 256
)

// dropScratch takes back what copyin() gave.
func (j *Judge) dropScratch() {
	for i := range j.scratch + 8 {
		delete(j.kernel, scratchAddr+i)
	}
	j.scratch, j.before = 0, 0
}

func from(s string, i int) string {
	if i < 0 || i > len(s) {
		return ""
	}
	return s[i:]
}

func base(n int64) int64 {
	if n < 2 || n > 36 {
		panic(fault{3, n})
	}
	return n
}

func index(s, part string, pos int64) int64 {
	if s == "" && part == "" {
		return 0
	}
	pos = max(pos, 0)
	if pos >= int64(len(s)) {
		if part == "" {
			return int64(len(s))
		}
		return -1
	}
	for i := int(pos); i < len(s); i++ {
		if strings.HasPrefix(s[i:], part) {
			return int64(i)
		}
	}
	return -1
}

func rindex(s, part string, pos int64) int64 {
	if pos < 0 {
		if part == "" {
			return 0
		}
		return -1
	}
	for i := int(min(pos, int64(len(s)))); i >= 0; i-- {
		if strings.HasPrefix(s[i:], part) {
			return int64(i)
		}
	}
	return -1
}

func substr(s string, pos, count int64) string {
	n := int64(len(s))
	if pos < 0 {
		pos += n
		if pos < 0 && pos+count > 0 {
			count, pos = count+pos, 0
		}
	}
	switch {
	case pos >= n || pos < 0:
		return ""
	case count < 0:
		count += n - pos
	}
	return s[pos:min(pos+max(min(count, n), 0), n)]
}

func letters(s string, first byte) string {
	b := []byte(s)
	for i, c := range b {
		if first <= c && c < first+26 {
			b[i] ^= 0x20
		}
	}
	return string(b)
}

func basename(s string) string {
	t := strings.TrimRight(s, "/")
	switch {
	case s == "":
		return "."
	case t == "":
		return "/"
	}
	return t[strings.LastIndexByte(t, '/')+1:]
}

func dirname(s string) string {
	t := strings.TrimRight(s, "/")
	if t == "" && s != "" {
		return "/"
	}
	i := strings.LastIndexByte(t, '/')
	if i < 0 {
		return "."
	}
	if t = strings.TrimRight(t[:i], "/"); t == "" {
		return "/"
	}
	return t
}

func spell(n, base int64) string {
	switch base {
	case 10:
		return strconv.FormatInt(n, 10)
	case 16:
		return "0x" + strconv.FormatUint(uint64(n), 16)
	case 8:
		if n != 0 {
			return "0" + strconv.FormatUint(uint64(n), 8)
		}
	}
	return strconv.FormatUint(uint64(n), int(base))
}

func parse(s string, base int64) int64 {
	s = strings.TrimLeft(s, " \t")
	sign := int64(1)
	if s != "" && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if base == 16 && len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' && digit(s[2]) < 16 {
		s = s[2:]
	}
	n := int64(0)
	for i := 0; i < len(s) && digit(s[i]) < base; i++ {
		n = n*base + digit(s[i])
	}
	return n * sign
}

func digit(c byte) int64 {
	switch {
	case '0' <= c && c <= '9':
		return int64(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'z':
		return int64(c|0x20-'a') + 10
	}
	return 99
}

// aggregate updates a cell, by the definitions of the aggregating functions.
func (j *Judge) aggregate(s *ast.AggAssign) {
	as := j.prog.AggAssigns[s]
	a := as.Agg
	key := ""
	for i, k := range s.Agg.Keys {
		key += j.keyOf(k, a.Keys[i].Type) + " "
		j.action++
	}
	v, incr := int64(0), int64(1)
	if as.Value != nil {
		v = j.int(as.Value)
	}
	if as.Incr != nil {
		incr = j.int(as.Incr)
	}
	if j.Aggs[a.Name] == nil {
		j.Aggs[a.Name] = map[string][]uint64{}
	}
	c := j.Aggs[a.Name][key]
	if c == nil {
		c = make([]uint64, cells(a.Func, a.Params))
		j.Aggs[a.Name][key] = c
	}
	switch a.Func {
	case "count":
		c[0]++
	case "sum":
		c[0] = 1
		c[1] += uint64(v)
	case "min", "max": // as a number that is the greater the more it is wanted
		wanted := uint64(v) + 1<<63
		if a.Func == "min" {
			wanted = ^wanted
		}
		c[0], c[1] = 1, max(c[1], wanted)
	case "avg":
		c[0]++
		c[1] += uint64(v)
	case "stddev":
		c[0]++
		c[1] += uint64(v)
		abs := uint64(v)
		if v < 0 {
			abs = uint64(-v)
		}
		hi, lo := bits.Mul64(abs, abs)
		var carry uint64
		c[2], carry = bits.Add64(c[2], lo, 0)
		c[3] += hi + carry
	default:
		c[bucket(a.Func, a.Params, v)] += uint64(incr)
	}
}

func cells(fn string, params []int64) int {
	switch fn {
	case "count":
		return 1
	case "stddev":
		return 4
	case "quantize":
		return 127
	case "lquantize":
		return int((params[1]-params[0])/params[2]) + 2
	case "llquantize":
		return 2*magnitude(params, ^uint64(0)) + 1
	}
	return 2
}

// bucket finds the bucket of v by going through them.
func bucket(fn string, params []int64, v int64) int {
	switch fn {
	case "quantize":
		i := 63
		for b := int64(1); v >= b && i < 126; b <<= 1 {
			i++
		}
		for b := int64(-1); v <= b && i > 0; b <<= 1 {
			i--
		}
		return i
	case "lquantize":
		i, levels := 0, int((params[1]-params[0])/params[2])
		for b := params[0]; v >= b && i <= levels; b += params[2] {
			i++
		}
		return i
	}
	middle := magnitude(params, ^uint64(0))
	if v < 0 {
		return middle - magnitude(params, -uint64(v))
	}
	return middle + magnitude(params, uint64(v))
}

// magnitude finds how far from the middle llquantize() counts a value of size v.
func magnitude(params []int64, v uint64) int {
	factor, steps, this := uint64(params[0]), uint64(params[3]), uint64(1)
	for range params[1] {
		this *= factor
	}
	if v < this {
		return 0
	}
	i := 0
	for range params[2] - params[1] + 1 {
		next := this * factor
		width := max(next/steps, 1)
		for b := this; b < next; b += width {
			i++
			if v < b+width {
				return i
			}
		}
		this = next
	}
	return i + 1
}
