package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sort"

	"github.com/cilium/ebpf/btf"

	dtypes "dscope.dev/dlang/types"
)

// Symbols are the kernel's symbols. There are a hundred thousand and more, so
// they are kept as columns: one string of all names, and a few numbers for each.
type Symbols struct {
	names []byte   // every name, zero-terminated, after a first zero
	at    []uint32 // start of each name; ascending
	addr  []uint64
	mod   []uint16 // index into mods
	kind  []byte   // the letter of nm: T text, D data, …; capital if global
	mods  []string // mods[0] is vmlinux
	order []uint32 // by address; nil if the file was in that order already
	edges edges
}

// edges are the addresses between which vmlinux lies; 0 where not known. A
// kernel without CONFIG_KALLSYMS_ALL lists functions only, and no end: there
// what lies outside of both texts belongs to no symbol.
type edges struct{ text, textEnd, init, initEnd, end uint64 }

func (e *edges) note(name []byte, addr uint64) {
	switch string(name) {
	case "_stext":
		e.text = addr
	case "_etext":
		e.textEnd = addr
	case "_sinittext":
		e.init = addr
	case "_einittext":
		e.initEnd = addr
	case "_end":
		e.end = addr
	}
}

// hold reports whether addr lies in vmlinux.
func (e *edges) hold(addr uint64) bool {
	switch {
	case e.end != 0:
		return addr < e.end
	case e.textEnd != 0:
		return e.text <= addr && addr < e.textEnd || e.init <= addr && addr < e.initEnd
	}
	return true
}

// A Symbol is one symbol of the kernel.
type Symbol struct {
	Module, Name string
	Addr         uint64
	Kind         byte        // the letter of nm: T text, D data, …; capital if global
	Type         dtypes.Type // from BTF; nil if that does not tell, as of most variables
}

// Symbols returns all symbols. If the kernel hides their addresses, the error
// is a *Missing that says so; the names are then of no use either.
func (k *Kernel) Symbols() (*Symbols, error) { return k.symbols() }

func (k *Kernel) loadSymbols() (*Symbols, error) {
	f, err := k.roots.Proc.Open("kallsyms")
	if err != nil {
		return nil, noSymbols(err)
	}
	defer f.Close()
	s, err := ReadSymbols(f)
	if err != nil {
		return nil, noSymbols(err)
	}
	if s.hidden() {
		return nil, &Missing{What: "kernel addresses", Why: "the kernel shows them as zero",
			Remedy: "run as root or with CAP_SYSLOG, and set kernel.kptr_restrict to 0 or 1"}
	}
	return s, nil
}

func noSymbols(err error) error {
	m := &Missing{What: "kernel symbols", Why: err.Error(), Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.Remedy = "use a kernel built with CONFIG_KALLSYMS=y"
	case errors.Is(err, fs.ErrPermission):
		m.Remedy = "run as root"
	}
	return m
}

// symbolChunk is how much of kallsyms is parsed while the next is read.
const symbolChunk = 64 << 10

// A chunk is a run of whole lines, or why there are no more.
type chunk struct {
	lines []byte
	err   error
}

// ReadSymbols reads the text of kallsyms. It reads and parses at once, in two
// goroutines, because the kernel takes longer to print its symbols than it
// takes to parse them.
func ReadSymbols(r io.Reader) (*Symbols, error) {
	chunks, stop := make(chan chunk, 4), make(chan struct{})
	defer close(stop)
	go readChunks(r, chunks, stop)
	p := newSymbolParser()
	for c := range chunks {
		if c.err != nil {
			return nil, c.err
		}
		if err := p.parse(c.lines); err != nil {
			return nil, err
		}
	}
	return p.finish(), nil
}

// readChunks sends what r holds, cut between lines, and closes chunks. It ends
// early once stop is closed.
func readChunks(r io.Reader, chunks chan<- chunk, stop <-chan struct{}) {
	defer close(chunks)
	var rest []byte
	for err := error(nil); err == nil; {
		var n int
		buf := make([]byte, symbolChunk)
		had := copy(buf, rest)
		n, err = io.ReadFull(r, buf[had:])
		c := chunk{}
		c.lines, rest = cutLines(buf[:had+n])
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			c.lines = append(c.lines, rest...) // the last line may lack its end
		case err != nil:
			c.err = err
		case had+n == len(rest):
			err = errors.New("kallsyms: a line is longer than any symbol")
			c.err = err
		}
		select {
		case chunks <- c:
		case <-stop:
			return
		}
	}
}

// cutLines cuts what is left over after the last whole line.
func cutLines(text []byte) (lines, rest []byte) {
	i := bytes.LastIndexByte(text, '\n') + 1
	return text[:i:i], text[i:]
}

// A symbolParser fills Symbols line by line.
type symbolParser struct {
	Symbols
	line   int
	last   uint64
	jumped bool // whether an address was lower than the one before it
}

func newSymbolParser() *symbolParser {
	const usual = 128 << 10
	return &symbolParser{Symbols: Symbols{
		names: make([]byte, 1, usual*24),
		at:    make([]uint32, 0, usual),
		addr:  make([]uint64, 0, usual),
		mod:   make([]uint16, 0, usual),
		kind:  make([]byte, 0, usual),
		mods:  []string{"vmlinux"},
	}}
}

// parse reads lines of the form
//
//	ffffffff816b96a0 T ksys_read	[module]
//
// It goes over the bytes once, for there are many.
func (p *symbolParser) parse(data []byte) error {
	for len(data) > 0 {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			i = len(data)
		}
		text := data[:i]
		data = data[min(i+1, len(data)):]
		p.line++
		addr, rest, ok := hex(text)
		if !ok || len(rest) < 4 || rest[0] != ' ' || rest[2] != ' ' {
			return fmt.Errorf("kallsyms: line %d is not a symbol: %q", p.line, text)
		}
		p.add(addr, rest[1], rest[3:])
	}
	return nil
}

// add keeps one symbol; name may be followed by a module in brackets.
func (p *symbolParser) add(addr uint64, kind byte, name []byte) {
	mod := uint16(0)
	if tab := bytes.IndexByte(name, '\t'); tab >= 0 {
		mod = p.module(bytes.Trim(name[tab:], "\t []"))
		name = name[:tab]
	}
	if mod == 0 && bytes.HasPrefix(name, []byte("_")) {
		p.edges.note(name, addr)
	}
	p.jumped = p.jumped || addr < p.last
	p.last = addr
	p.at = append(p.at, uint32(len(p.names)))
	p.names = append(append(p.names, name...), 0)
	p.addr = append(p.addr, addr)
	p.mod = append(p.mod, mod)
	p.kind = append(p.kind, kind)
}

func (p *symbolParser) finish() *Symbols {
	if p.jumped {
		p.sort()
	}
	return &p.Symbols
}

// hex reads the number that text begins with.
func hex(text []byte) (v uint64, rest []byte, ok bool) {
	i := 0
	for ; i < len(text) && i < 16; i++ {
		c := text[i]
		switch {
		case '0' <= c && c <= '9':
			v = v<<4 | uint64(c-'0')
		case 'a' <= c && c <= 'f':
			v = v<<4 | uint64(c-'a'+10)
		default:
			return v, text[i:], i > 0
		}
	}
	return v, text[i:], i > 0
}

// module returns the number of a module. Symbols of one module stand together.
func (s *Symbols) module(name []byte) uint16 {
	if last := len(s.mods) - 1; s.mods[last] == string(name) {
		return uint16(last)
	}
	if i := slices.Index(s.mods, string(name)); i >= 0 {
		return uint16(i)
	}
	s.mods = append(s.mods, string(name))
	return uint16(len(s.mods) - 1)
}

func (s *Symbols) sort() {
	s.order = make([]uint32, len(s.addr))
	for i := range s.order {
		s.order[i] = uint32(i)
	}
	slices.SortStableFunc(s.order, func(a, b uint32) int {
		switch x, y := s.addr[a], s.addr[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

// hidden reports whether every address is zero.
func (s *Symbols) hidden() bool {
	return len(s.addr) > 0 && !slices.ContainsFunc(s.addr, func(a uint64) bool { return a != 0 })
}

// Len returns how many symbols there are.
func (s *Symbols) Len() int { return len(s.addr) }

// byAddr returns the number of the i-th symbol by address.
func (s *Symbols) byAddr(i int) int {
	if s.order == nil {
		return i
	}
	return int(s.order[i])
}

func (s *Symbols) name(i int) string {
	text := s.names[s.at[i]:]
	return string(text[:bytes.IndexByte(text, 0)])
}

// symbol returns the i-th symbol of the file.
func (s *Symbols) symbol(i int) Symbol {
	return Symbol{Module: s.mods[s.mod[i]], Name: s.name(i), Addr: s.addr[i], Kind: s.kind[i]}
}

// kernelHalf is where addresses of the kernel begin. Below it lie offsets of
// per-CPU variables, which are no addresses.
const kernelHalf = 1 << 63

// Lookup finds the symbol that addr lies in. Of several at one address it
// takes the first, as the kernel does.
func (s *Symbols) Lookup(addr uint64) (module, name string, offset uint64, ok bool) {
	if addr < kernelHalf {
		return "", "", 0, false
	}
	i := s.before(addr)
	if i < 0 {
		return "", "", 0, false
	}
	at := s.addr[s.byAddr(i)]
	for i > 0 && s.addr[s.byAddr(i-1)] == at {
		i--
	}
	sym := s.byAddr(i)
	if at < kernelHalf || s.mod[sym] == 0 && !s.edges.hold(addr) {
		return "", "", 0, false
	}
	return s.mods[s.mod[sym]], s.name(sym), addr - at, true
}

// before returns which symbol, by address, is the last up to an address; -1 is none.
func (s *Symbols) before(addr uint64) int {
	return sort.Search(len(s.addr), func(i int) bool { return s.addr[s.byAddr(i)] > addr }) - 1
}

// Find looks a symbol up by name, in the given module or, if that is empty, in
// all of them. A global one goes before one that is private to a source file.
func (s *Symbols) Find(module, name string) (Symbol, bool) {
	if name == "" {
		return Symbol{}, false
	}
	found := -1
	want := []byte(name + "\x00") // and the zero before it is looked at afterwards: each symbol has one
	for from := 0; ; {
		i := bytes.Index(s.names[from:], want)
		if i < 0 {
			break
		}
		at := from + i
		from = at + len(name)
		if at == 0 || s.names[at-1] != 0 {
			continue
		}
		n, _ := slices.BinarySearch(s.at, uint32(at))
		if module != "" && s.mods[s.mod[n]] != module {
			continue
		}
		if isGlobal(s.kind[n]) {
			return s.symbol(n), true
		}
		if found < 0 {
			found = n
		}
	}
	if found < 0 {
		return Symbol{}, false
	}
	return s.symbol(found), true
}

func isGlobal(kind byte) bool { return 'A' <= kind && kind <= 'Z' }

// Symbol finds a variable or function of the kernel by name; an empty module
// means all. The error wraps ErrNoSymbol if there is none.
func (k *Kernel) Symbol(module, name string) (Symbol, error) {
	key := [2]string{module, name}
	if known, ok := k.named.Load(key); ok {
		return known.(Symbol), nil
	}
	s, err := k.symbols()
	if err != nil {
		return Symbol{}, err
	}
	if sym, ok := s.Find(module, name); ok {
		sym.Type = k.symbolType(sym)
		k.named.Store(key, sym)
		return sym, nil
	}
	if module != "" {
		name = module + "`" + name
	}
	if _, ok := s.Find("vmlinux", "init_task"); !ok {
		return Symbol{}, &unlisted{name}
	}
	return Symbol{}, fmt.Errorf("%s: %w", name, ErrNoSymbol)
}

// An unlisted symbol is one that may well be a variable, in a kernel that lists
// none of those.
type unlisted struct{ name string }

func (u *unlisted) Error() string { return u.name + ": " + ErrNoSymbol.Error() }

func (u *unlisted) Unwrap() error { return ErrNoSymbol }

// Hint says why a variable of the kernel is not found.
func (u *unlisted) Hint() string {
	return "this kernel lists the addresses of its functions alone: it is built without CONFIG_KALLSYMS_ALL"
}

// symbolType finds the type of a variable or function, or nil.
func (k *Kernel) symbolType(sym Symbol) dtypes.Type {
	spec, err := k.moduleBTF(sym.Module)
	if err != nil {
		return nil
	}
	found, err := spec.AnyTypesByName(sym.Name)
	if err != nil {
		return nil
	}
	for _, t := range found {
		switch t := t.(type) {
		case *btf.Var:
			return k.Convert(t.Type)
		case *btf.Func:
			return k.Convert(t.Type)
		}
	}
	return nil
}
