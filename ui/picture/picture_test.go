package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
	"dscope.dev/themes"
)

// drawn draws the last run of a recording of a real kernel.
func drawn(t *testing.T, o Options) (string, error) {
	t.Helper()
	p, err := replay.Open("../../testdata/runs/kinds.dscope")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.Speed = math.Inf(1)
	var b bytes.Buffer
	w, err := New(&b, o)
	if err != nil {
		return "", err
	}
	run := p.Play(0)
	defer run.Close()
	_, err = trace.Follow(run, w, w)
	return b.String(), err
}

// An element is one of an SVG, with what is looked at here.
type element struct {
	name, class, title, text string
	w                        float64
}

// elements reads an SVG, strictly: it is well-formed, every class has a rule, and nothing is
// outside of the paper or asked for from elsewhere.
func elements(t *testing.T, svg string) (out []element) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	d.Strict = true
	style := ""
	var open []int
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%.2000s", err, svg)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			e := element{name: tok.Name.Local}
			for _, a := range tok.Attr {
				switch a.Name.Local {
				case "class":
					e.class = a.Value
				case "width":
					fmt.Sscan(a.Value, &e.w)
				case "href", "src", "onclick", "onload":
					t.Errorf("%s has %s", e.name, a.Name.Local)
				}
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s is %s", a.Name.Local, a.Value)
				}
			}
			if e.w > width {
				t.Errorf("%+v is wider than the paper", e)
			}
			if e.name == "script" {
				t.Error("there is a script")
			}
			out, open = append(out, e), append(open, len(out))
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) == 0 {
				continue
			}
			at := &out[open[len(open)-1]]
			switch at.name {
			case "style":
				style += string(tok)
			case "title":
				if len(open) > 1 {
					out[open[len(open)-2]].title = string(tok)
				}
			}
			at.text += string(tok)
		}
	}
	for _, e := range out {
		for _, class := range strings.Fields(e.class) {
			if !strings.Contains(style, "."+class+"{") && !strings.Contains(style, "."+class+",") {
				t.Errorf("there is no rule for class %s", class)
			}
		}
	}
	return out
}

// count returns how much the titles of the rectangles of a figure add up to.
func count(list []element, form string) (sum int64) {
	re := regexp.MustCompile(form)
	for _, e := range list {
		if m := re.FindStringSubmatch(e.title); e.name == "rect" && m != nil {
			var n int64
			fmt.Sscan(m[1], &n)
			sum += n
		}
	}
	return sum
}

// atEnd returns an aggregation as it was at the end.
func atEnd(t *testing.T, name string) trace.Table {
	t.Helper()
	p, err := replay.Open("../../testdata/runs/kinds.dscope")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.Speed = math.Inf(1)
	run := p.Play(0)
	defer run.Close()
	var last lastTables
	if _, err := trace.Follow(run, &last); err != nil {
		t.Fatal(err)
	}
	for _, table := range last.aggs {
		if table.Name == name {
			return table
		}
	}
	t.Fatalf("no @%s", name)
	return trace.Table{}
}

type lastTables struct{ aggs []trace.Table }

func (l *lastTables) Events([]trace.Event) error { return nil }
func (l *lastTables) End(_ trace.Status, aggs []trace.Table) error {
	l.aggs = aggs
	return nil
}

// TestFigures holds what is drawn to the numbers of the run.
func TestFigures(t *testing.T) {
	for _, tt := range []struct {
		agg  string
		kind Kind
		form string // of the titles of what is drawn
	}{
		{"latency", Fitting, ` .* to .*: (\d+)$`},
		{"latency", Histogram, `: (\d+)$`},
		{"decades", Heat, `: (\d+)$`},
		{"steps", Heat, `: (\d+)$`},
		{"stacks", Fitting, `^all: (\d+), 100.0%$`},
		{"kernel", Icicle, `^all: (\d+), 100.0%$`},
	} {
		svg, err := drawn(t, Options{Agg: tt.agg, One: true, Kind: tt.kind})
		if err != nil {
			t.Errorf("@%s: %v", tt.agg, err)
			continue
		}
		want := int64(0)
		for _, r := range atEnd(t, tt.agg).Rows {
			want += r.Value
		}
		if got := count(elements(t, svg), tt.form); got != want || want == 0 {
			t.Errorf("the %s of @%s adds up to %d, want %d", tt.kind, tt.agg, got, want)
		}
	}
	svg, err := drawn(t, Options{Agg: "bytes", One: true})
	if err != nil {
		t.Fatal(err)
	}
	paths := 0
	for _, e := range elements(t, svg) {
		if e.name == "path" && e.title != "" {
			paths++
		}
	}
	if paths != 2 { // dd small, dd large
		t.Errorf("@bytes has %d curves", paths)
	}
}

// TestPage has every aggregation, numbers, the script, and nothing from elsewhere.
func TestPage(t *testing.T) {
	page, err := drawn(t, Options{Page: true, Script: "BEGIN\n{ x < 1 && \"a\" }", About: "Linux & co"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<!DOCTYPE html>", "default-src 'none'", "@latency quantize()", "@stacks count()", "<td>dd</td>", "BEGIN\n{ x &lt; 1 &amp;&amp; &#34;a&#34; }", "Linux &amp; co",
		"prefers-color-scheme:dark", "body:has(#dark:checked) .g{"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(page, "<svg "); n != 11 {
		t.Errorf("%d figures", n)
	}
	for _, not := range []string{"<script", "http-equiv=\"refresh", "src=", "href="} {
		if strings.Contains(page, not) {
			t.Errorf("there is a %s", not)
		}
	}
	if addresses := regexp.MustCompile(`https?://[^"]*`).FindAllString(page, -1); len(addresses) != 11 || addresses[0] != "http://www.w3.org/2000/svg" {
		t.Errorf("%q", addresses)
	}
}

// TestThemes has files of one theme and of both.
func TestThemes(t *testing.T) {
	ground := map[string]string{}
	for _, name := range []string{"dark", "light"} {
		theme, err := themes.Load(name, themes.Options{Depth: themes.TrueColor})
		if err != nil {
			t.Fatal(err)
		}
		ground[name] = hexOf(theme.Output.Match.GetForeground(), "")
	}
	for _, name := range []string{"dark", "light", "auto"} {
		svg, err := drawn(t, Options{Agg: "latency", One: true, Theme: name})
		if err != nil {
			t.Fatal(err)
		}
		for theme, color := range ground {
			if has := strings.Contains(svg, ".g{fill:"+color+"}"); color == "" || has != (name == theme || name == "auto") {
				t.Errorf("%s: the ground %s of %s is there: %v", name, color, theme, has)
			}
		}
	}
	if _, err := New(io.Discard, Options{Theme: "pink"}); err == nil || !strings.Contains(err.Error(), "dark, light or auto") {
		t.Errorf("%v", err)
	}
}

// Each thing that cannot be drawn is said, with what can.
func TestCannot(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Agg: "calls", One: true, Kind: Heat}, "a heat map is of quantize(), lquantize() or llquantize(), and @calls is count(); curve draws it"},
		{Options{Agg: "calls", One: true, Kind: Icicle}, "@[stack()] = count()"},
		{Options{Agg: "latency", One: true, Kind: Curve}, "heat draws it"},
		{Options{Agg: "nosuch", One: true}, "there is no key of @nosuch to draw; there are @latency"},
		{Options{Kind: "pie"}, "heat, curve, histogram, icicle"},
		{Options{At: time.Hour}, "the run lasted"},
		{Options{At: 1}, "the run has none"},
	} {
		if _, err := drawn(t, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.o, err, tt.want)
		}
	}
}

// TestHostile has names that would be markup, and values that would be off the paper.
func TestHostile(t *testing.T) {
	const name = "\x1b</title></svg><script>alert(1)</script>\xff\ufffe\"'&"
	key := []trace.Value{{Kind: trace.StringValue, Str: name}}
	stack := []trace.Value{{Kind: trace.StackValue, Frames: []trace.Frame{{Symbol: name, Module: name}}}}
	for _, table := range []trace.Table{
		{Name: "n", KeyTypes: []string{"string"}, Rows: []trace.Row{{ID: "1", Keys: key, Value: math.MaxInt64}}},
		{Name: "s", Func: trace.Sum, KeyTypes: []string{"string"}, Rows: []trace.Row{{ID: "1", Keys: key, Value: math.MinInt64}}},
		{Name: "k", KeyTypes: []string{"stack"}, Rows: []trace.Row{{ID: "1", Keys: stack, Value: 1}}},
		{Name: "none", KeyTypes: []string{"stack"}, Rows: []trace.Row{{ID: "1", Keys: stack}}},
		{Name: "q", Func: trace.Quantize, Rows: []trace.Row{{ID: "1", Keys: key, Value: 1, Buckets: []trace.Bucket{
			{Label: "< 0", Low: math.MinInt64, High: -1, Count: -5}, {Label: name, Low: 0, High: math.MaxInt64, Count: math.MaxInt64}}}}},
	} {
		for _, page := range []bool{false, true} {
			var b bytes.Buffer
			w, err := New(&b, Options{Page: page, Script: name, About: name})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 4 {
				w.Snapshot(trace.Snapshot{Seq: uint64(i + 1), Elapsed: time.Duration(i) * time.Second, Drops: uint64(i), Aggs: []trace.Table{table}})
			}
			w.Status(trace.Status{State: trace.Done, Drops: []trace.Drop{{Count: 1, Where: name}}})
			if err := w.End(trace.Status{}, nil); err != nil {
				t.Errorf("@%s: %v", table.Name, err)
			}
			if out := b.String(); strings.Contains(out, "<script") || strings.Contains(out, "\x1b") || strings.Contains(out, "\xff") || strings.Contains(out, "\ufffe") {
				t.Errorf("@%s, page %v: a name is markup:\n%s", table.Name, page, out)
			}
			if !page {
				elements(t, b.String())
			}
		}
	}
}
