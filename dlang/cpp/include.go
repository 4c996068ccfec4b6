package cpp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// depth returns how many files lie around the one that is being read.
func (p *processor) depth() int {
	n := 0
	for s := p.lex.src.parent; s != nil; s = s.parent {
		n++
	}
	return n
}

// A headerName is what #include asks for.
type headerName struct {
	name   string
	quoted bool // "name" and not <name>
	at     place
}

// include is #include and its relatives. #import reads a file once.
func (p *processor) include(word string) {
	h, ok := p.headerName(word)
	if !ok {
		return
	}
	path, text, dir, err := p.find(h, word == "include_next")
	if !p.charge(h.at, len(text)) {
		return
	}
	switch {
	case err != nil:
		p.errorf(h.at, diag.Preprocess, "include %s: %v", h.name, err).
			Suggest("say with -I in which folder it is")
		return
	case p.once[path]:
		return
	case p.depth() >= maxDepth:
		p.fatal(h.at, "%s is included too deeply: does it include itself?", h.name)
		return
	case len(p.headers) >= maxFiles:
		p.fatal(h.at, "more than %d files are included", maxFiles)
		return
	}
	if word == "import" {
		p.once[path] = true
	}
	p.headers = append(p.headers, Header{path, p.depth() + 1})
	from := p.lex.src
	s := newSource(path, text)
	s.dir, s.parent, s.line = dir, from, h.at
	p.file(s)
	if n := len(p.out.text); n > 0 && p.out.text[n-1] != '\n' {
		p.out.text = append(p.out.text, '\n')
	}
}

// headerName reads the name of a header, which may be written as a macro.
func (p *processor) headerName(word string) (headerName, bool) {
	p.lex.space()
	from := p.lex.off
	line := p.lex.src.text[from:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if line != "" && (line[0] == '<' || line[0] == '"') {
		end := byte('>')
		if line[0] == '"' {
			end = '"'
		}
		if i := strings.IndexByte(line[1:], end); i > 0 {
			p.lex.off += i + 2
			return headerName{line[1 : i+1], end == '"', p.lex.src.place(from, from+i+2)}, true
		}
	}
	toks := p.expandLine()
	at := p.lex.src.place(from, max(p.lex.off, from))
	h, ok := spelled(toks, at)
	if !ok {
		p.errorf(at, diag.Preprocess, `#%s needs "name" or <name>`, word)
	}
	return h, ok
}

// spelled reads the name of a header from tokens.
func spelled(toks []tok, at place) (headerName, bool) {
	if len(toks) > 0 && toks[0].kind == str && len(toks[0].text) > 2 {
		return headerName{unquote(toks[0].text), true, at}, true
	}
	if len(toks) < 2 || !toks[0].is("<") {
		return headerName{}, false
	}
	var b strings.Builder
	for i, t := range toks[1:] {
		if t.is(">") && b.Len() > 0 {
			return headerName{b.String(), false, at}, true
		}
		if i > 0 && t.space {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return headerName{}, false
}

// find looks for a header and reads it. dir is where its folder stands in the
// search list.
func (p *processor) find(h headerName, after bool) (path, text string, dir int, err error) {
	if strings.HasPrefix(h.name, "/") {
		if text, err = p.load(h.name); errors.Is(err, fs.ErrNotExist) {
			err = errNoHeader
		}
		return h.name, text, 0, err
	}
	if strings.IndexByte(h.name, 0) >= 0 {
		return "", "", 0, errors.New("a name of a file has no zero byte")
	}
	if h.quoted && !after {
		path = h.name
		if d := filepath.Dir(p.lex.src.name); d != "." {
			path = filepath.Join(d, h.name)
		}
		if text, err = p.load(path); !errors.Is(err, fs.ErrNotExist) {
			return path, text, p.lex.src.dir, err
		}
	}
	for i, folder := range p.folders() {
		if after && i < p.lex.src.dir {
			continue
		}
		path = filepath.Join(folder, h.name)
		if text, err = p.load(path); !errors.Is(err, fs.ErrNotExist) {
			return path, text, i + 1, err
		}
	}
	if text, ok := ownHeaders[h.name]; ok {
		return "<built-in>/" + h.name, text, len(p.folders()) + 1, nil
	}
	return "", "", 0, errNoHeader
}

var errNoHeader = errors.New("there is no such file")

// folders returns the search list.
func (p *processor) folders() []string {
	system := p.cfg.System
	if system == nil {
		system = []string{"/usr/local/include"}
		if triplet := triplets[p.cfg.Arch]; triplet != "" {
			system = append(system, "/usr/include/"+triplet)
		}
		system = append(system, "/usr/include")
	}
	return append(p.cfg.Include[:len(p.cfg.Include):len(p.cfg.Include)], system...)
}

// triplets are the folders of Debian and its kin for headers that differ between
// machines.
var triplets = map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}

// maxHeader is the size of a header.
const maxHeader = 8 << 20

// load reads a file.
func (p *processor) load(path string) (string, error) {
	open := p.cfg.Open
	if open == nil {
		open = openFile
	}
	f, err := open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxHeader+1))
	if err == nil && len(b) > maxHeader {
		err = fmt.Errorf("it has more than %d bytes", maxHeader)
	}
	return string(b), err
}

// openFile opens a file of this machine. A folder is passed over as if it were not
// there; a pipe or device might never end.
func openFile(path string) (io.ReadCloser, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), err == nil && info.IsDir():
		return nil, fs.ErrNotExist
	case err != nil:
		return nil, errors.Unwrap(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	return f, nil
}

// origin returns the line that includes s.
func (s *source) origin() *token.Origin {
	if s.parent == nil {
		return nil
	}
	return &token.Origin{File: s.parent.final(), At: s.line.span(), Msg: "included here"}
}
