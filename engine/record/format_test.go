package record

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/engine/trace"
)

func double(f float64) float64s {
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f))
}

func list(args ...any) []any { return args }

// The results are those of printf(3) in the C locale and of dtrace(1) for what
// it adds.
var formats = []struct {
	format string
	args   []any
	want   string
}{
	{"plain, 100%%\n", nil, "plain, 100%\n"},

	// Integers in their own size.
	{"%d %i %u", list(int8(-1), int16(-2), int8(-1)), "-1 -2 255"},
	{"%x %x %x %x", list(int8(-1), int16(-1), int32(-1), int(-1)), "ff ffff ffffffff ffffffffffffffff"},
	{"%d %d", list(uint32(math.MaxUint32), uint64(math.MaxUint64)), "4294967295 18446744073709551615"},
	{"%ld %lld %hd", list(int(-5), int(-6), int16(-7)), "-5 -6 -7"},
	{"%o %X %p", list(int32(8), int32(0xabcdef), uint64(0xffff888012345678)), "10 ABCDEF ffff888012345678"},
	{"%d", list(math.MinInt64), "-9223372036854775808"},

	// Flags, widths, precisions.
	{"[%5d][%-5d][%05d]", list(int32(42), int32(42), int32(-42)), "[   42][42   ][-0042]"},
	{"[%+d][% d][%+u]", list(int32(1), int32(1), int32(1)), "[+1][ 1][1]"},
	{"[%#x][%#8x][%#010x][%#x][%#o][%#X]", list(int32(255), int32(255), int32(255), int32(0), int32(8), int32(255)),
		"[0xff][    0xff][0x000000ff][0][010][0XFF]"},
	{"[%.5d][%8.3d][%08.3d][%.0d]", list(int32(42), int32(42), int32(42), int32(0)), "[00042][     042][     042][0]"},
	{"[%*d][%*d][%-*d]", list(int32(6), int32(1), int32(-6), int32(1), int32(6), int32(1)), "[     1][1     ][1     ]"},
	{"[%.*d][%.*d]", list(int32(3), int32(7), int32(-1), int32(7)), "[007][7]"},
	{"[%0-5d][%-05d]", list(int32(1), int32(1)), "[1    ][00001]"}, // the later of - and 0 counts
	{"[%'d][%?p]", list(int32(1234567), uint64(0xabc)), "[1234567][             abc]"},

	// Strings.
	{"[%s][%6s][%-6s]", list("abc", "abc", "abc"), "[abc][   abc][abc   ]"},
	{"[%.2s][%.0s][%5.1s][%*.*s]", list("abc", "abc", "abc", int32(4), int32(2), "abc"), "[ab][abc][    a][  ab]"},
	{"%s|%s", list([]byte("no zero"), []byte("zero\x00rest")), "no zero|zero"},
	{"%s:%s:%s:%s", list(probePart1(0), probePart1(1), probePart1(2), probePart1(3)), "syscall:vmlinux:read:entry"},
	{"%12s|", list(probePart1(2)), "        read|"},
	{"%S", list("a\"b\\c\n\t\x01\xff"), `a\"b\\c\n\t\001\377\0`},

	// Characters.
	{"%c%c%3c|%-3c|", list(int8('a'), int32('b'), int32('c'), int32('d')), "ab  c|d  |"},
	{"%C%C%C", list(int8('a'), int8('\n'), int8(0)), `a\n\0`},
	{"%wc%lc", list(int32('é'), int32('€')), "é€"},
	{"%ws", list([]byte("h\x00\x00\x00\xe9\x00\x00\x00\x00\x00\x00\x00x\x00\x00\x00")), "hé"},

	// Addresses, symbols and stacks.
	{"%a %a [%-12a]", list(uint64(0x1000), uint64(0x1012), uint64(0x5)), "vmlinux`vfs_read vmlinux`vfs_read+0x12 [0x5         ]"},
	{"%A %A", list(uint64(0x7f00), userWords{7, 0x99}), "libc.so.6`malloc 0x99"},
	{"%k|", list([]uint64{0x1003, 0xdead, 0, 0x1000}), "\nvmlinux`vfs_read+0x3\n0xdead\n|"},
	{"%-4k|", list([]uint64{0x1003, 0}), "\n    vmlinux`vfs_read+0x3\n|"},
	{"%24k|", list([]uint64{0x1003, 0}), "\n    vmlinux`vfs_read+0x3\n|"},
	{"%k", list(userWords{42, 0x10, 0x20, 0}), "\nlibc.so.6`malloc+0x10\nlibc.so.6`malloc+0x20\n"},

	// Times.
	{"%Y", list(uint64(123237000123456789)), "1973 Nov 27 08:30:00"},
	{"%Y|%T", list(uint64(1704067200e9), uint64(1704067200e9)), "2024 Jan  1 00:00:00|Mon, 01 Jan 2024 00:00:00 UTC"},
	{"[%24Y]", list(uint64(0)), "[    1970 Jan  1 00:00:00]"},

	// Floating point.
	{"%f %.2f %e %g %G %g", list(double(1.5), double(-2.345), double(12345.678), double(0.0001), double(1e-10), double(1e20)),
		"1.500000 -2.35 1.234568e+04 0.0001 1E-10 1e+20"},
	{"[%10.1f][%-8.1f][%+.1f]", list(double(3.14), double(3.14), double(3.14)), "[       3.1][3.1     ][+3.1]"},
	{"%f", list(float64s("\x00\x00\xc0\x3f")), "1.500000"},                                                  // float
	{"%Lf", list(float64s("\x00\x00\x00\x00\x00\x00\x00\xc0\xff\x3f\x00\x00\x00\x00\x00\x00")), "1.500000"}, // long double

	// More conversions than data is a mistake of the compiler: nothing breaks.
	{"%d %s|", list(int32(1)), "1 |"},
}

func TestFormats(t *testing.T) {
	for _, tt := range formats {
		if got := printf(t, tt.format, tt.args...); got != tt.want {
			t.Errorf("printf(%q, %v) = %q, want %q", tt.format, tt.args, got, tt.want)
		}
	}
}

func TestWideFieldsAreCut(t *testing.T) {
	if got := printf(t, "%*d", int32(math.MinInt32), int32(1)); len(got) != maxWidth {
		t.Errorf("%d bytes, want %d", len(got), maxWidth)
	}
}

// What a process says is made harmless; what the script says is not touched.
func TestTracedTextIsHarmless(t *testing.T) {
	f := newFixture()
	call := &check.Call{Format: format(t, "\x1b[1m%s\x1b[0m|%-6s|%c\n")}
	f.action(0, nil)
	f.layout.Actions = f.layout.Actions[:0]
	f.action(2, call, "\x1b]0;x\a", "\x1b", int32(0x1b))
	for _, tt := range []struct {
		terminal bool
		want     string
	}{
		{false, "\x1b[1m^[]0;x\a\x1b[0m|^[     |^[\n"},
		{true, "\x1b[1m^[]0;x^G\x1b[0m|^[     |^[\n"},
	} {
		c := f.config()
		c.Terminal = tt.terminal
		d, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Decode(0, now, f.rec)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Event.Items[0].Text; got != tt.want {
			t.Errorf("terminal %v: %q, want %q", tt.terminal, got, tt.want)
		}
	}
}

func TestPrinta(t *testing.T) {
	d, err := New(newFixture().config())
	if err != nil {
		t.Fatal(err)
	}
	key := func(s string, n int64) []trace.Value {
		return []trace.Value{{Kind: trace.StringValue, Str: s}, {Kind: trace.IntValue, Size: 4, Int: n}}
	}
	counts := trace.Table{Name: "n", Normal: 1, Rows: []trace.Row{{Keys: key("dd", -1), Value: 3}, {Keys: key("cat", 7), Value: 12}}}
	sums := trace.Table{Name: "s", Func: trace.Sum, Normal: 10, Rows: []trace.Row{{Keys: key("dd", -1), Value: -35}, {Keys: key("cat", 7), Value: 99}}}
	bars := trace.Table{Name: "h", Func: trace.Quantize, Normal: 1, Rows: []trace.Row{{Keys: key("dd", 1), Buckets: []trace.Bucket{{Label: "1", Count: 1}}}}}
	stacks := trace.Table{Name: "k", Normal: 1, Rows: []trace.Row{{Value: 2, Keys: []trace.Value{{Kind: trace.StackValue,
		Frames: []trace.Frame{{Module: "vmlinux", Symbol: "schedule", Offset: 1}}}, {Kind: trace.SymValue, Str: "libc.so.6`malloc"}}}}}
	for _, tt := range []struct {
		format string
		tables []trace.Table
		want   string
	}{
		{"%-5s %d %@d\n", []trace.Table{counts}, "dd    -1 3\ncat   7 12\n"},
		{"%@5u %s\n", []trace.Table{counts}, "    3 dd\n   12 cat\n"}, // keys left over are not printed
		{"%s %d %@d %@d %@x\n", []trace.Table{counts, sums}, "dd -1 3 -3 fffffffffffffffd\ncat 7 12 9 9\n"},
		{"%s %x %@d", []trace.Table{bars}, "dd 1 \n           value  ------------- Distribution ------------- count    \n" +
			"               1 |" + strings.Repeat("@", 40) + " 1        \n"},
		{"%k%A %@d\n", []trace.Table{stacks}, "\nvmlinux`schedule+0x1\nlibc.so.6`malloc 2\n"},
		{"nothing\n", []trace.Table{{Name: "e"}}, ""},
	} {
		item := d.Printa(&check.Call{Format: format(t, tt.format)}, tt.tables)
		if item.Kind != trace.PrintaItem || item.Text != tt.want {
			t.Errorf("printa(%q) = %q, want %q", tt.format, item.Text, tt.want)
		}
	}
	item := d.Printa(&check.Call{}, []trace.Table{counts, {Name: "empty"}})
	if item.Kind != trace.TablesItem || len(item.Rest().Tables) != 2 || len(item.Rest().Names) != 1 || item.Rest().Names[0] != "n" {
		t.Errorf("printa without a format: %+v", item)
	}
}
