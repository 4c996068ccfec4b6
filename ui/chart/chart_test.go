package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/ink"
)

func looks(t testing.TB, depth themes.Depth, ascii bool) Looks {
	t.Helper()
	th, err := themes.Load("", themes.Options{Depth: depth, ASCII: ascii})
	if err != nil {
		t.Fatal(err)
	}
	return NewLooks(th)
}

func buckets(from int64, counts ...int64) []trace.Bucket {
	var out []trace.Bucket
	for i, n := range counts {
		low := from << i
		out = append(out, trace.Bucket{Label: Short(float64(low)), Low: low, High: low<<1 - 1, Count: n})
	}
	return out
}

func TestBarLengths(t *testing.T) {
	for _, tt := range []struct {
		name                string
		total, delta, scale int64
		color, mono, ascii  string
	}{
		{"empty", 0, 0, 10, "        ", "        ", "        "},
		{"full", 10, 0, 10, "████████", "████████", "########"},
		{"half", 5, 0, 10, "████    ", "████    ", "####    "},
		{"eighth", 1, 0, 64, "▏       ", "▏       ", "#       "},
		{"never nothing", 1, 0, math.MaxInt64, "▏       ", "▏       ", "#       "},
		{"two tones", 8, 4, 8, "████████", "████▒▒▒▒", "####++++"},
		{"seam inside a cell", 8, 3, 16, "██▌█    ", "██▒▒    ", "##++    "},
		{"all new", 8, 8, 8, "████████", "▒▒▒▒▒▒▒▒", "++++++++"},
		{"counted away", 4, 9, 8, "████    ", "▒▒▒▒    ", "++++    "},
		{"negative", -4, 0, 8, "████    ", "████    ", "----    "},
		{"least of all", math.MinInt64, 0, math.MaxInt64, "████████", "████████", "--------"},
	} {
		for _, k := range []struct {
			looks Looks
			want  string
		}{{looks(t, themes.TrueColor, false), tt.color}, {looks(t, themes.NoColor, false), tt.mono}, {looks(t, themes.Plain, true), tt.ascii}} {
			var l ink.Line
			l.Reset(8, ink.Ink{})
			k.looks.Bar(&l, tt.total, tt.delta, tt.scale, 8)
			if got := ansi.Strip(l.String()); got != k.want {
				t.Errorf("%s: %q, want %q", tt.name, got, k.want)
			}
		}
	}
}

func TestTonesDifferInEveryTheme(t *testing.T) {
	for _, name := range themes.Names() {
		for _, depth := range []themes.Depth{themes.TrueColor, themes.Colors256, themes.Colors16, themes.NoColor} {
			th, err := themes.Load(name, themes.Options{Depth: depth})
			if err != nil {
				t.Fatal(err)
			}
			k := NewLooks(th)
			if !k.Mono && k.Total == k.Delta {
				t.Errorf("%s at depth %d: total and delta look the same", name, depth)
			}
		}
	}
}

func TestAxisKeepsStill(t *testing.T) {
	var a Axis
	a.Grow(buckets(4, 0, 5, 0), nil)
	a.Grow(buckets(16, 0, 100, 0), nil)
	a.Grow(buckets(8, 0, 1, 0), nil)
	bars := a.Bars(buckets(8, 0, 1, 0), nil)
	var labels []string
	for _, b := range bars {
		labels = append(labels, b.Label)
	}
	if want := []string{"4", "8", "16", "32", "64"}; !slices.Equal(labels, want) {
		t.Errorf("labels %v, want %v", labels, want)
	}
	if a.Max != 100 {
		t.Errorf("scale %d, want the greatest ever, 100", a.Max)
	}
	a.Grow(buckets(1024, 0, 1, 0), nil)
	if bars := a.Bars(nil, nil); len(bars) != a.Lines() || !bars[5].Gap {
		t.Errorf("buckets that nothing reached are no gap: %+v", bars)
	}
}

func TestHistogramPicture(t *testing.T) {
	var a Axis
	b := buckets(512, 0, 3, 40, 12, 0)
	delta := func(b trace.Bucket) int64 { return b.Count / 4 }
	a.Grow(b, buckets(512, 0, 0, 10, 3, 0))
	got := histogram(looks(t, themes.Plain, false), &a, a.Bars(b, delta), 48)
	lines := strings.Split(got, "\n")
	if len(lines) != 5 {
		t.Fatalf("%d lines:\n%s", len(lines), got)
	}
	for _, line := range lines {
		if ansi.StringWidth(line) != 48 {
			t.Errorf("a line is %d wide: %q", ansi.StringWidth(line), line)
		}
	}
	if !strings.Contains(lines[2], "▒") || !strings.Contains(lines[2], "+10") || !strings.Contains(lines[0], "512 │  ") {
		t.Errorf("picture:\n%s", got)
	}
}

// Of what normalize() divides the numbers are smaller, and the bars as long.
func TestHistogramDivided(t *testing.T) {
	var a Axis
	b := buckets(512, 0, 3000, 40000, 12000, 0)
	half := func(b trace.Bucket) int64 { return b.Count / 2 }
	k := looks(t, themes.Plain, false)
	a.Grow(b, buckets(512, 0, 1500, 20000, 6000, 0))
	whole := strings.Split(histogram(k, &a, a.Bars(b, half), 48), "\n")[2]
	a.Normal = 1000
	got := strings.Split(histogram(k, &a, a.Bars(b, half), 48), "\n")[2]
	if want := strings.NewReplacer("+20000", "   +20", "40000", "   40").Replace(whole); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestHistogramAtAnyWidth(t *testing.T) {
	var a Axis
	b := buckets(1, 0, 3, -40, 12, 0)
	a.Grow(b, nil)
	for w := 0; w < 80; w++ {
		for _, line := range strings.Split(histogram(looks(t, themes.Plain, true), &a, a.Bars(b, nil), w), "\n") {
			if ansi.StringWidth(line) != w {
				t.Fatalf("at %d columns a line is %d wide: %q", w, ansi.StringWidth(line), line)
			}
		}
	}
}

func TestSpark(t *testing.T) {
	k := looks(t, themes.Plain, false)
	var l ink.Line
	l.Reset(6, ink.Ink{})
	k.Spark(&l, ink.Ink{}, []float32{9, 0, 1, 0, 8}, []bool{true, false, false, true, false}, 8, 6)
	if got := l.String(); got != " █ ▁!█" {
		t.Errorf("got %q", got)
	}
	l.Reset(3, ink.Ink{})
	k.Spark(&l, ink.Ink{}, []float32{1, 2, 3, 4}, nil, 4, 3)
	if got := l.String(); got != "▄▆█" {
		t.Errorf("the newest do not stand at the right: %q", got)
	}
}

func TestLayout(t *testing.T) {
	cols := []Column{
		{Title: "key", Min: 6, Want: 20, Flex: true},
		{Title: "value", Min: 5, Want: 8, Right: true},
		{Title: "rate", Min: 6, Want: 8, Right: true, Drop: 1},
		{Title: "trend", Min: 8, Want: 16, Drop: 2},
	}
	for _, tt := range []struct {
		w    int
		want []int
	}{
		{80, []int{42, 8, 8, 16}},
		{40, []int{15, 5, 6, 8}},
		{24, []int{9, 5, 6, 0}},
		{13, []int{6, 5, 0, 0}},
		{3, []int{6, 5, 0, 0}}, // the line cuts it
	} {
		got := Layout(cols, tt.w)
		if !slices.Equal(got, tt.want) {
			t.Errorf("Layout(%d) = %v, want %v", tt.w, got, tt.want)
		}
	}
	if got := ColumnAt([]int{6, 0, 5}, 8); got != 2 {
		t.Errorf("ColumnAt = %d, want 2", got)
	}
	if got := ColumnAt([]int{6, 0, 5}, 40); got != -1 {
		t.Errorf("ColumnAt beyond the table = %d", got)
	}
}

func TestShort(t *testing.T) {
	for _, tt := range []struct {
		f    float64
		want string
	}{
		{0, "0"}, {3.21, "3.2"}, {847, "847"}, {999.6, "1.00k"}, {12345, "12.3k"}, {1250000, "1.25M"},
		{-1250000, "-1.25M"}, {9.2e18, "9.20E"}, {math.Inf(1), "?"}, {0.04, "0.04"},
	} {
		if got := Short(tt.f); got != tt.want {
			t.Errorf("Short(%v) = %q, want %q", tt.f, got, tt.want)
		}
	}
}

func BenchmarkHistogram(b *testing.B) {
	var a Axis
	var counts []int64
	for i := range 40 {
		counts = append(counts, int64(i*i*i))
	}
	bk := buckets(1, counts...)
	delta := func(b trace.Bucket) int64 { return b.Count / 7 }
	a.Grow(bk, bk)
	k := looks(b, themes.TrueColor, false)
	for b.Loop() {
		_ = histogram(k, &a, a.Bars(bk, delta), 120)
	}
}

func BenchmarkSpark(b *testing.B) {
	k := looks(b, themes.TrueColor, false)
	values := make([]float32, 60)
	for i := range values {
		values[i] = float32(i % 9)
	}
	var l ink.Line
	for b.Loop() {
		l.Reset(60, ink.Ink{})
		k.Spark(&l, k.Rate, values, nil, 8, 60)
		_ = l.String()
	}
}

// histogram draws bars on w columns, one a line.
func histogram(k Looks, a *Axis, bars []Bar, w int) string {
	var l ink.Line
	var out strings.Builder
	for i, b := range bars {
		if i > 0 {
			out.WriteByte('\n')
		}
		l.Reset(w, ink.Ink{})
		k.HistogramLine(&l, a, b)
		out.WriteString(l.String())
	}
	return out.String()
}

// TestWidth holds that numbers are as wide as they are written.
func TestWidth(t *testing.T) {
	for _, n := range []int64{0, 1, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 12_345, 99_999, 100_000, 9_999_999, 10_000_000, 100_000_000, math.MaxInt64, math.MinInt64 + 1, -1, -10, -9999, -10_000} {
		if got, want := width(n), len(strconv.FormatInt(n, 10)); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
		if got, want := signedWidth(n), len(signed(n)); got != want {
			t.Errorf("%d with its sign: %d, want %d", n, got, want)
		}
	}
	for n := int64(1); n < math.MaxInt64/11; n = n*11 + 3 {
		if got, want := width(n), len(strconv.FormatInt(n, 10)); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}

// TestCoarser makes fewer bars, called by where they begin; only the first may begin nowhere.
func TestCoarser(t *testing.T) {
	var fine []trace.Bucket
	for i, label := range []string{"< 0", "0", "10", "20", ">= 30"} {
		fine = append(fine, trace.Bucket{Label: label, Low: int64(10 * (i - 1)), High: int64(10*i - 1), Count: int64(i + 1)})
	}
	fine[0].Low, fine[4].High = math.MinInt64, math.MaxInt64
	var a Axis
	a.Grow(fine, nil)
	for per, want := range []string{1: "< 0:1 0:2 10:3 20:4 >= 30:5", 2: "< 10:3 10:7 >= 30:5", 4: "< 30:10 >= 30:5", 9: "all:15"} {
		if want == "" {
			continue
		}
		axis := a.Coarser(per, 0, 5)
		var got []string
		for _, b := range axis.Bars(axis.Gather(fine), nil) {
			got = append(got, fmt.Sprintf("%s:%d", b.Label, b.Total))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d a bar: %v, want %s", per, got, want)
		}
	}
	fine[0].Count, fine[1].Count, fine[4].Count = 0, 0, 0
	from, to := a.Used(fine)
	if axis := a.Coarser(1, from, to); from != 2 || to != 4 || axis.Gather(fine)[0].Count != 3 {
		t.Errorf("used are %d up to %d: %v", from, to, axis.Gather(fine))
	}
	if from, to := a.Used(nil); to-from != 1 {
		t.Errorf("of nothing %d buckets are used", to-from)
	}
}

// A bar that stands for several buckets has room for the sum of them.
func TestCoarseNumbersAreWhole(t *testing.T) {
	var fine Axis
	list := buckets(1, 99_999, 99_999, 1)
	came := func(trace.Bucket) int64 { return 123_456 }
	fine.Grow(list, nil)
	coarse := fine.Coarser(2, 0, 3)
	bars := coarse.Bars(coarse.Gather(list), came)
	coarse.Fit(bars)
	got := histogram(looks(t, themes.Plain, false), &coarse, bars, 60)
	for _, want := range []string{" 199998 +123456", "      1 +123456"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
}
