package check

import (
	"maps"
	"slices"
	"strings"

	"dscope.dev/dlang/types"
)

// A want says what a function accepts as one argument.
type want uint8

const (
	wantAny    want = iota // anything that has a value
	wantInt                // an integer
	wantAddr               // an address: an integer or a pointer
	wantPtr                // a pointer
	wantString             // a string, an array of characters or a pointer to them
	wantAgg                // an aggregation
)

func (w want) String() string {
	return [...]string{"a value", "an integer", "an address", "a pointer", "a string", "an aggregation"}[w]
}

// A signature is one line of the table of functions.
type signature struct {
	Function
	result types.Type // void for an action
	params []want
	min    int // how many of params must be given
	rest   bool
	proto  string // for completion and messages: strjoin(string a, string b)
	help   string
	why    string // why it is refused; "" if it is not
	// behind is what the first argument points to; "" if that does not matter.
	behind string
	// destructive actions change the system and need -w.
	destructive bool
	key         KeyKind // what it is as a key of an aggregation; KeyValue if it is none
}

// noKernel is why some actions are refused.
const noKernel = "stock Linux gives no way to do it"

// functions holds every subroutine and action of the DTrace guides by name.
var functions = func() map[string]*signature {
	m := map[string]*signature{}
	for _, list := range [][]signature{recording(), subroutines(), kernelSubs(), aggActions(), speculating(), outside(), destructive(), refused()} {
		for i := range list {
			m[list[i].Name] = &list[i]
		}
	}
	return m
}()

// action makes the Function of an action, all of which leave a record.
func action(name string) Function { return Function{Name: name, Action: true, Records: true} }

func recording() []signature {
	list := []signature{
		{Function: action("trace"), params: []want{wantAny}, min: 1,
			proto: "trace(value)", help: "records a value"},
		{Function: action("printf"), params: []want{wantString}, min: 1, rest: true,
			proto: "printf(string format, …)", help: "records values and prints them by a format"},
		{Function: action("exit"), params: []want{wantInt}, min: 1,
			proto: "exit(int status)", help: "ends tracing"},
		{Function: action("tracemem"), params: []want{wantAddr, wantInt, wantInt}, min: 2,
			proto: "tracemem(addr, size_t size[, size_t limit])", help: "records memory and dumps it"},
		{Function: action("stack"), params: []want{wantInt}, key: KeyStack,
			proto: "stack([int frames])", help: "records the kernel stack"},
		{Function: action("ustack"), params: []want{wantInt, wantInt}, key: KeyUstack,
			proto: "ustack([int frames[, int strsize]])", help: "records the user stack"},
		{Function: action("setopt"), params: []want{wantString, wantString}, min: 1,
			proto: "setopt(string option[, string value])", help: "sets an option while tracing"},
	}
	for _, s := range []struct {
		name string
		key  KeyKind
		help string
	}{
		{"sym", KeySym, "names the kernel symbol at an address"},
		{"func", KeySym, "names the kernel function at an address"},
		{"mod", KeyMod, "names the kernel module at an address"},
		{"usym", KeyUsym, "names the symbol of the process at an address"},
		{"ufunc", KeyUsym, "names the function of the process at an address"},
		{"umod", KeyUmod, "names the library of the process at an address"},
		{"uaddr", KeyUaddr, "names the place of the process at an address"},
	} {
		list = append(list, signature{Function: action(s.name), result: types.UInt64, params: []want{wantAddr}, min: 1,
			key: s.key, proto: s.name + "(addr)", help: s.help})
	}
	return list
}

func subroutines() []signature {
	str, i, size := types.StrType, types.IntType, named("size_t")
	sub := func(name string, result types.Type, min int, proto, help string, params ...want) signature {
		return signature{Function: Function{Name: name}, result: result, params: params, min: min, proto: proto, help: help}
	}
	return []signature{
		sub("alloca", types.VoidPtr, 1, "alloca(size_t size)", "gives scratch memory until the clause ends", wantInt),
		sub("bcopy", nil, 3, "bcopy(void *from, void *to, size_t size)", "copies into scratch memory", wantAddr, wantPtr, wantInt),
		sub("basename", str, 1, "basename(string path)", "gives the last part of a path", wantString),
		sub("copyin", types.VoidPtr, 2, "copyin(addr, size_t size)", "copies memory of the process", wantAddr, wantInt),
		sub("copyinstr", str, 1, "copyinstr(addr[, size_t max])", "copies a string of the process", wantAddr, wantInt),
		sub("copyinto", nil, 3, "copyinto(addr, size_t size, void *to)", "copies memory of the process to scratch memory", wantAddr, wantInt, wantPtr),
		sub("cleanpath", str, 1, "cleanpath(string path)", "gives a path without empty parts, . and ..", wantString),
		sub("dirname", str, 1, "dirname(string path)", "gives a path without its last part", wantString),
		sub("htonl", types.UInt32, 1, "htonl(uint32_t)", "swaps to the byte order of the network", wantInt),
		sub("htonll", types.UInt64, 1, "htonll(uint64_t)", "swaps to the byte order of the network", wantInt),
		sub("htons", types.UInt16, 1, "htons(uint16_t)", "swaps to the byte order of the network", wantInt),
		sub("index", i, 2, "index(string s, string part[, int from])", "finds where a string holds another, or -1", wantString, wantString, wantInt),
		sub("json", str, 2, "json(string text, string element)", "gives an element of JSON text, such as a.b[2], or NULL", wantString, wantString),
		sub("lltostr", str, 1, "lltostr(int64_t n[, int base])", "spells a number", wantInt, wantInt),
		sub("ntohl", types.UInt32, 1, "ntohl(uint32_t)", "swaps from the byte order of the network", wantInt),
		sub("ntohll", types.UInt64, 1, "ntohll(uint64_t)", "swaps from the byte order of the network", wantInt),
		sub("ntohs", types.UInt16, 1, "ntohs(uint16_t)", "swaps from the byte order of the network", wantInt),
		sub("rand", i, 0, "rand()", "gives a random number"),
		sub("rindex", i, 2, "rindex(string s, string part[, int from])", "finds where a string last holds another, or -1", wantString, wantString, wantInt),
		sub("strchr", str, 2, "strchr(string s, char c)", "gives a string from a character on", wantString, wantInt),
		sub("strjoin", str, 2, "strjoin(string a, string b)", "joins two strings", wantString, wantString),
		sub("strlen", size, 1, "strlen(string s)", "gives the length of a string", wantString),
		sub("strrchr", str, 2, "strrchr(string s, char c)", "gives a string from the last of a character on", wantString, wantInt),
		sub("strstr", str, 2, "strstr(string s, string part)", "gives a string from another on", wantString, wantString),
		sub("strtoll", types.Int64, 1, "strtoll(string s[, int base])", "reads a number", wantString, wantInt),
		sub("substr", str, 2, "substr(string s, int from[, int length])", "gives a part of a string", wantString, wantInt, wantInt),
		sub("strtok", str, 2, "strtok(string s, string ends)", "gives the next part of a string; of the same one if s is NULL", wantString, wantString),
		sub("tolower", str, 1, "tolower(string s)", "gives a string in small letters", wantString),
		sub("toupper", str, 1, "toupper(string s)", "gives a string in capital letters", wantString),
	}
}

func aggActions() []signature {
	return []signature{
		{Function: action("printa"), params: []want{wantAny}, min: 1, rest: true,
			proto: "printa([string format,] @agg, …)", help: "prints aggregations"},
		{Function: action("clear"), params: []want{wantAgg}, min: 1,
			proto: "clear(@agg)", help: "sets the values of an aggregation to zero"},
		{Function: action("trunc"), params: []want{wantAgg, wantInt}, min: 1,
			proto: "trunc(@agg[, int64_t n])", help: "keeps the n highest keys of an aggregation, or the lowest if n < 0"},
		{Function: action("normalize"), params: []want{wantAgg, wantInt}, min: 2,
			proto: "normalize(@agg, uint64_t by)", help: "shows the values of an aggregation divided by a number"},
		{Function: action("denormalize"), params: []want{wantAgg}, min: 1,
			proto: "denormalize(@agg)", help: "undoes normalize()"},
	}
}

func destructive() []signature {
	list := []signature{
		{proto: "breakpoint()", help: "stops in the kernel's debugger", why: noKernel},
		{proto: "panic()", help: "panics the kernel", why: noKernel},
	}
	for i := range list {
		name, _, _ := strings.Cut(list[i].proto, "(")
		list[i].Function = action(name)
		list[i].destructive = true
	}
	return list
}

// refused lists what the guides have and this compiler has not. Their
// arguments are checked all the same.
func refused() []signature {
	const alien = "Linux has no such thing"
	addr := []want{wantAddr}
	list := []signature{
		{proto: "ddi_pathname(void *, int64_t)", params: []want{wantPtr, wantInt}, min: 2, why: alien},
		{proto: "memref(void *, size_t)", params: []want{wantPtr, wantInt}, min: 2, why: alien},
		{proto: "msgdsize(mblk_t *)", params: addr, min: 1, why: alien},
		{proto: "msgsize(mblk_t *)", params: addr, min: 1, why: alien},
		{proto: "toutf8(…)", rest: true, why: alien},
		{proto: "typeref(…)", rest: true, why: alien},
		{proto: "vmregs(…)", rest: true, why: alien},

		{proto: "printm(…)", rest: true, why: alien},
		{proto: "printt(…)", rest: true, why: alien},
	}
	actions := 0
	for i := range list {
		name, _, _ := strings.Cut(list[i].proto, "(")
		if name == "printm" {
			actions = i
		}
		list[i].Function = Function{Name: name}
		list[i].result = types.Bad
		if actions > 0 {
			list[i].Function = action(name)
		}
	}
	return list
}

// FunctionList lists the functions of D by name: actions, subroutines and
// aggregating functions.
func FunctionList() []Known {
	var list []Known
	for _, f := range functions {
		list = append(list, Known{f.Name, f.proto, f.help, f.why})
	}
	for name, f := range aggFuncs {
		list = append(list, Known{name, f.proto, f.help, ""})
	}
	slices.SortFunc(list, func(a, b Known) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// functionNames lists the names that a call may use.
func functionNames() []string {
	return slices.AppendSeq(slices.Collect(maps.Keys(functions)), maps.Keys(aggFuncs))
}
