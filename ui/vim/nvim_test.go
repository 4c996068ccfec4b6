package vim

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// A trial is commands for a script, one after the other, and what came of each.
type trial struct {
	Text  string   `json:"text"`
	Keys  []string `json:"keys"`
	After []after  `json:"after"`
}

// An after is the text and the place of the cursor after a command, line and byte from 0.
type after struct {
	Lines []string `json:"lines"`
	Line  int      `json:"line"`
	Col   int      `json:"col"`
	Mode  string   `json:"mode"`
}

// driver has Neovim do what trials say.
const driver = `
vim.o.autoindent = true; vim.o.copyindent = true; vim.o.startofline = true; vim.o.hidden = true; vim.o.swapfile = false
vim.o.shiftwidth = 8; vim.o.tabstop = 8; vim.o.expandtab = false; vim.o.wrapscan = true; vim.o.lines = 24
vim.o.ignorecase = false; vim.o.smartcase = false; vim.o.more = false; vim.o.joinspaces = false; vim.o.report = 9999
vim.o.cpoptions = 'aABceFs_'; vim.o.matchpairs = '(:),{:},[:]'; vim.o.belloff = 'all'; vim.o.shortmess = 'aoOstTWAIcFS'; vim.o.showcmd = false; vim.o.showmode = false; vim.o.timeout = false; vim.o.ttimeout = false; vim.o.hlsearch = false; vim.o.incsearch = false
local f = io.open(arg_in, 'r'); local trials = vim.json.decode(f:read('*a')); f:close()
for _, t in ipairs(trials) do
  vim.cmd('enew!'); vim.bo.undolevels = -1
  local lines = vim.split(t.text, '\n', { plain = true })
  if #lines > 1 and lines[#lines] == '' then table.remove(lines) end
  vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
  vim.bo.undolevels = 1000; vim.bo.modified = false
  vim.fn.setreg('"', ''); vim.fn.setreg('0', ''); vim.fn.setreg('a', ''); vim.fn.setreg('b', '')
  vim.fn.setreg('/', 'zzz'); vim.fn.setcharsearch({char = '\1'})
  vim.api.nvim_win_set_cursor(0, {1, 0})
  t.after = {}
  for _, k in ipairs(t.keys) do
    local ok, err = pcall(vim.api.nvim_feedkeys, vim.api.nvim_replace_termcodes(k, true, true, true), 'ntx', false)
    local c = vim.fn.getpos('.')
    table.insert(t.after, { lines = vim.api.nvim_buf_get_lines(0, 0, -1, true), line = c[2] - 1, col = c[3] - 1, mode = vim.api.nvim_get_mode().mode })
  end
end
f = io.open(arg_out, 'w'); f:write(vim.json.encode(trials)); f:close()
`

// ask has Neovim do trials.
func ask(t *testing.T, trials []trial) []trial {
	t.Helper()
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no nvim to compare with")
		}
		t.Skip("no nvim to compare with")
	}
	dir := t.TempDir()
	in, out, script := filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "driver.lua")
	data, err := json.Marshal(trials)
	if err != nil {
		t.Fatal(err)
	}
	for file, s := range map[string]string{in: string(data), script: fmt.Sprintf("local arg_in, arg_out = %q, %q\n", in, out) + driver} {
		if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), nvim, "--clean", "-n", "--headless", "-S", script, "-c", "qa!")
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_STATE_HOME="+dir)
	began := time.Now()
	said, err := cmd.CombinedOutput()
	t.Logf("Neovim took %v", time.Since(began).Round(time.Millisecond))
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	data, err = os.ReadFile(out)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if err := json.Unmarshal(data, &trials); err != nil {
		t.Fatal(err)
	}
	return trials
}

// compare does a trial with our hands and says where they part from Neovim's.
func compare(t *testing.T, r trial) string {
	d := newDesk(t, r.Text)
	for i, keys := range r.Keys {
		before := d.state()
		was, at, _ := d.lines()
		d.press(keys)
		lines, line, col := d.lines()
		want := r.After[i]
		if !slices.Equal(lines, want.Lines) || line != want.Line || col != want.Col {
			if isMeant(r.Keys[:i+1], was[at] == "") {
				return ""
			}
			return fmt.Sprintf("%s (of %q)\nfrom\n%s\ngives %d:%d in\n%s\nNeovim has %d:%d in\n%s", keys, r.Keys[:i+1], before,
				line, col, strings.Join(lines, "\n"), want.Line, want.Col, strings.Join(want.Lines, "\n"))
		}
	}
	return ""
}

// scripts are what is edited.
var scripts = []string{
	"syscall::read:entry\n/execname == \"cat\"/\n{\n\tself->ts = timestamp;\n\t@n[probefunc, pid] = count();\n}\n\nsyscall::read:return\n/self->ts/\n{\n\t@[\"lat\"] = quantize(timestamp - self->ts);\n\tself->ts = 0;\n}\n",
	"BEGIN\n{\n\tprintf(\"%s (%d) {x}\\n\", execname, pid);\n        x = (a + (b * c)) [1];\n\n\n\texit(0);\n}\n\n\n#pragma D option quiet\n",
	"one two  three-four\n\n  five.six seven\nx\n\tlast (line) here",
	"profile:::tick-1s { printa(@a); trunc(@a, 10); }\n\tif (x > 0x1f) {\n\t\ty = -7;\n\t} else {\n\t\ty = 'a' + \"b c\";\n\t}\n",
	"",
	"a\n",
}

// commands returns a random command.
func randomCommand(r *rand.Rand) string {
	pick := func(list string) string { f := strings.Fields(list); return f[r.Intn(len(f))] }
	count := pick("_ _ _ _ _ 2 3 4")
	if count == "_" {
		count = ""
	}
	motion := func() string {
		switch r.Intn(8) {
		case 0:
			return pick("f F t T") + pick("e ( ; s \" t , a")
		case 1:
			return pick("/e<CR> /\\<self<CR> ?t<CR> /x<CR> n N * #")
		case 2:
			return pick("gg G { } 0 ^ $")
		default:
			return pick("w b e W B E ge gE h l j k w b e 0 $ ; , + -")
		}
	}
	object := func() string { return pick("iw aw iW aW i( a( i{ a{ i[ a[ i\" a\" ip ap ib iB a) a}") }
	switch r.Intn(12) {
	case 0, 1, 2:
		if to := motion(); to != "0" { // which behind a count is a digit
			return count + to
		}
		return "0"
	case 3, 4:
		op, end := pick("d d c y > <"), ""
		if r.Intn(5) == 0 { // at a motion that goes nowhere Neovim takes a character all the same
			return pick("gu gU") + count + pick("w e E b $ } G W")
		}
		if op == "c" {
			end = pick("foo_<Esc> x;y<Esc> <Esc> a;b<Esc>")
		}
		return op + count + motion() + end
	case 5:
		op := pick("d c y gU >")
		end := ""
		if op == "c" {
			end = pick("foo_<Esc> n2<Esc> <Esc>")
		}
		return op + object() + end
	case 6:
		return count + pick("x X D dd yy p P J ~ rz p P u u <C-r> . . >> << Y gUU guu dd p")
	case 7:
		return count + pick("ifoo_<Esc> abar_<Esc> Ix_<Esc> A;y<Esc> onew<Esc> Oabove<Esc> o<Esc> sq<Esc> Snew_<Esc> Cend<Esc> i<Esc> ix<CR>y<Esc> Rab<Esc> ccx<Esc> iab<BS>c<Esc>")
	case 8:
		v := pick("v V v") + pick("_ 2 3")
		v = strings.ReplaceAll(v, "_", "") + motion()
		return strings.ReplaceAll(v, "3f", "f") + pick("d y cnew<Esc> > < ~ U J rx <Esc> p oy x D")
	case 9:
		return "v" + object() + pick("d y <Esc> cq<Esc> U")
	case 10:
		return pick(`:s/e/EE/<CR> :%s/self/this/g<CR> :s/\(t\)\(i\)/\2\1/<CR> :2<CR> :$<CR> :1,2s/e/\r/<CR> :s/,/;/g<CR> :%s/x/&&/<CR> ma % d% y% 'a ` + "`a" + ` '' `)
	default:
		return pick(`"ayy "ap "add "ap "_dd "byiw "bP u . ggp qbA;<Esc>jq 3@b`)
	}
}

// A difference is one from Neovim that is meant: after a command, if others came before it,
// and only where the cursor is in an empty line.
type difference struct {
	now, before *regexp.Regexp
	empty       bool
}

var meant = []difference{
	{now: regexp.MustCompile(`^(g[uU]|[ydc<>])\d+[bB]`)},         // a motion that fails leaves the cursor where it was
	{now: regexp.MustCompile(`^v\d*i[][(){}bB]`)},                // nothing between brackets is no selection of the brackets
	{now: regexp.MustCompile(`^''$`)},                            // a place whose lines are gone is where they were
	{now: regexp.MustCompile(`[ia][wW]`), empty: true},           // an empty line is a word, and nothing before it
	{now: regexp.MustCompile(`^\d*i.*<CR>`)},                     // how a new line is indented is the host's
	{now: regexp.MustCompile(`^\.$`), before: putsNothing},       // a put of nothing is nothing to do again
	{now: regexp.MustCompile(`p$`), before: takesNothing},        // nothing is not kept in a register
	{now: regexp.MustCompile(`^"bP$`), before: records},          // keys are not kept where texts are
	{now: regexp.MustCompile(`^\d*(u|<C-r>|p)$`), before: alike}, // what changes nothing is no step to undo
}

var (
	putsNothing  = regexp.MustCompile(`^"[ab][pP]$`)
	takesNothing = regexp.MustCompile(`^[ydc][ia]`)
	records      = regexp.MustCompile(`^qb`)
	alike        = regexp.MustCompile(`^\d*[<>]|^v.*[<>]$|[uU]`)
)

// isMeant reports whether the last of some commands may differ.
func isMeant(keys []string, emptyLine bool) bool {
	last := len(keys) - 1
	return slices.ContainsFunc(meant, func(d difference) bool {
		return d.now.MatchString(keys[last]) && (!d.empty || emptyLine) &&
			(d.before == nil || slices.ContainsFunc(keys[:last], d.before.MatchString))
	})
}

// TestLikeNeovim gives random commands to Neovim and to these hands: text and cursor are the
// same after each.
func TestLikeNeovim(t *testing.T) {
	r := rand.New(rand.NewSource(seed()))
	var trials []trial
	for i := range trialCount() {
		keys := []string{"yy", "ix<Esc>"} // what the trial before has left for p and .
		for range 4 + r.Intn(5) {
			keys = append(keys, randomCommand(r))
		}
		trials = append(trials, trial{Text: scripts[i%len(scripts)], Keys: keys})
	}
	bad, commands := 0, 0
	for _, r := range ask(t, trials) {
		commands += len(r.Keys)
		if s := compare(t, r); s != "" {
			bad++
			if bad <= 12 {
				t.Error(s)
			}
		}
	}
	t.Logf("%d scripts, %d commands, %d differ", len(trials), commands, bad)
}

func seed() int64     { return int64(number("VIM_SEED", 1)) }
func trialCount() int { return number("VIM_TRIALS", 60) }

func number(name string, usual int) int {
	var n int
	if _, err := fmt.Sscan(os.Getenv(name), &n); err != nil {
		return usual
	}
	return n
}
