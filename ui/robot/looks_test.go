package robot_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"dscope.dev/themes"
	"dscope.dev/ui"
	"dscope.dev/ui/robot"
)

// A screen is a kind of terminal, for which the main pictures are looked at.
type screen struct {
	name string
	opts ui.Options
}

// The first has glyphs and no sequences; the next four draw the same in colours or
// without; the last has no glyphs beyond ASCII.
var (
	bare     = screen{"bare", ui.Options{Depth: themes.Plain}}
	coloured = []screen{
		{"dark", ui.Options{Depth: themes.TrueColor}},
		{"light", ui.Options{Depth: themes.TrueColor, Light: true}},
		{"16", ui.Options{Depth: themes.Colors16}},
		{"none", ui.Options{Depth: themes.NoColor}},
	}
	ascii = screen{"ascii", ui.Options{Depth: themes.Plain, ASCII: true}}
)

// TestLooks plays the scripts of testdata/looks on every kind of screen. Of each frame an
// archive has
//
//	frame NAME WxH   the picture without colours
//	hues NAME WxH    the picture in colours, where bars have another form than without
//	ascii NAME WxH   the picture where there is nothing but ASCII
//	looks NAME WxH   for each cell of the picture in colours a letter, which the legend explains
//
// and a line of the legend says how one letter looks in the dark theme, the light one, in
// 16 colours and in none. Blanks at the ends of lines are left out, and cells that no
// theme colours are dots. All but the first are kept at one size; at the others they are
// checked alike.
func TestLooks(t *testing.T) {
	files, err := filepath.Glob("../../testdata/looks/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { lookAt(t, file) })
	}
}

func lookAt(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	given := 0 // parts that are the script's
	part := map[string]string{}
	for _, f := range archive.Files {
		if f.Name == "recording" || f.Name == "keys" {
			part[f.Name] = strings.TrimSuffix(string(f.Data), "\n")
			given++
		}
	}
	recording, keys := load(t, part["recording"]), part["keys"]
	frames, poor := play(t, recording, bare.opts, keys), play(t, recording, ascii.opts, keys)
	var rich [][]robot.Frame
	for _, s := range coloured {
		rich = append(rich, play(t, recording, s.opts, keys))
	}
	if t.Failed() {
		return
	}
	var out []txtar.File
	legend := &legend{}
	for i, f := range frames {
		what := strings.TrimPrefix(frameName(f), "frame ")
		keep := func(kind, text string) {
			if kind == "frame" || f.W == 80 {
				out = append(out, txtar.File{Name: kind + " " + what, Data: []byte(text)})
			}
		}
		var views [][]cell
		for n, s := range coloured {
			same := rich[0][i].Text
			if s.name == "none" {
				same = f.Text
			}
			if got := rich[n][i].Text; got != same {
				t.Errorf("%s: in %s the picture is another:\n%s\n%s", what, s.name, got, same)
				return
			}
			views = append(views, cells(t, rich[n][i].View))
			checkScreen(t, s, what, views[n])
		}
		checkASCII(t, what, f.Text, poor[i].Text)
		keep("frame", f.Text)
		if rich[0][i].Text != f.Text {
			keep("hues", rich[0][i].Text)
		}
		keep("ascii", poor[i].Text)
		keep("looks", legend.layer(views, f.W))
	}
	out = append(out, txtar.File{Name: "legend", Data: []byte(legend.String())})
	if *update {
		archive.Files = append(archive.Files[:given], out...)
		write(t, file, archive)
		return
	}
	kept := archive.Files[given:]
	for i, f := range out {
		switch {
		case i >= len(kept) || kept[i].Name != f.Name:
			t.Fatalf("the archive lacks %s in this place", f.Name)
		case string(kept[i].Data) != string(f.Data):
			t.Errorf("%s is\n%s\nwant\n%s", f.Name, f.Data, kept[i].Data)
		}
	}
	if len(kept) > len(out) {
		t.Errorf("the script gives no %s", kept[len(out)].Name)
	}
}

// checkASCII holds that each sign of ours has one that such a screen can draw: nothing is
// a question mark that is none elsewhere. The data of the recordings are ASCII.
func checkASCII(t *testing.T, what, rich, poor string) {
	t.Helper()
	for _, r := range poor {
		if r > '~' {
			t.Errorf("%s: %q is not ASCII:\n%s", what, r, poor)
			return
		}
	}
	if got, want := strings.Count(poor, "?"), strings.Count(rich, "?"); got > want {
		t.Errorf("%s: %d signs have none in ASCII:\n%s\nof\n%s", what, got-want, poor, rich)
	}
}

// checkScreen holds that a screen is drawn in what it has, and that words can be read on it.
func checkScreen(t *testing.T, s screen, what string, view []cell) {
	t.Helper()
	back := "#101216"
	if s.name == "light" {
		back = "#ffffff"
	}
	told := map[look]bool{}
	for _, c := range view {
		if told[c.look] {
			continue
		}
		hex := strings.HasPrefix(c.ink+c.paper, "#")
		switch {
		case s.name == "none" && c.ink+c.paper != "", s.name == "16" && hex:
			t.Errorf("%s: in %s a cell is %s", what, s.name, c.look)
			told[c.look] = true
		case hex && isWord(c.text) && c.contrast(back) < 3:
			t.Errorf("%s: in %s %q has a contrast of %.1f: %s", what, s.name, c.text, c.contrast(back), c.look)
			told[c.look] = true
		}
	}
}

func isWord(s string) bool {
	return s >= "0" && s <= "9" || s >= "A" && s <= "Z" || s >= "a" && s <= "z"
}

// A legend has a letter for everything that a cell may look like on all screens.
type legend struct{ looks [][4]look }

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// layer returns the letters of a frame.
func (l *legend) layer(views [][]cell, w int) string {
	var b, line strings.Builder
	for i := range views[0] {
		var of [4]look
		for n := range views {
			of[n] = views[n][i].look
		}
		letter := "."
		if of != [4]look{} {
			n := slices.Index(l.looks, of)
			if n < 0 {
				n = len(l.looks)
				l.looks = append(l.looks, of)
			}
			letter = letters[n : n+1]
		}
		line.WriteString(strings.Repeat(letter, views[0][i].width))
		if line.Len() >= w {
			b.WriteString(strings.TrimRight(line.String(), ".") + "\n")
			line.Reset()
		}
	}
	return b.String()
}

func (l *legend) String() string {
	var b strings.Builder
	for i, of := range l.looks {
		fmt.Fprintf(&b, "%c ", letters[i])
		for n, s := range coloured {
			fmt.Fprintf(&b, " %s: %s", s.name, of[n])
			if n < len(coloured)-1 {
				b.WriteString(" |")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
