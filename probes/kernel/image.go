package kernel

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"dscope.dev/probes/binary"
)

// An Image is the file that vmlinux, or a module, of the running kernel was made
// from, with its debug information. The kernel runs elsewhere than the file says:
// vmlinux as a whole (KASLR), and each section of a module where there was room.
type Image struct {
	*binary.Debug
	Module string
	Path   string

	file     *binary.File
	slide    uint64 // of vmlinux: how far the kernel is from where the file says
	sections []placed
}

// A placed section is one of a module: where it lies in memory, and what the file
// counts its addresses from.
type placed struct {
	running uint64
	file    binary.Range
}

// Running returns where the code lies that has an address in the file.
func (i *Image) Running(addr uint64) (uint64, bool) {
	if i.sections == nil {
		return addr + i.slide, true
	}
	for _, s := range i.sections {
		if s.file.Low <= addr && addr < s.file.High {
			return addr - s.file.Low + s.running, true
		}
	}
	return 0, false
}

// Linked returns the address that the file has for what lies at an address of the
// kernel.
func (i *Image) Linked(addr uint64) (uint64, bool) {
	if i.sections == nil {
		return addr - i.slide, true
	}
	for _, s := range i.sections {
		if size := s.file.High - s.file.Low; s.running <= addr && addr-s.running < size {
			return addr - s.running + s.file.Low, true
		}
	}
	return 0, false
}

func (i *Image) close() error { return errors.Join(i.Debug.Close(), i.file.Close()) }

// images are those that were asked for.
type images struct {
	mu     sync.Mutex
	path   string // where vmlinux is said to be; "" if it is to be looked for
	known  map[string]*opened
	all    []*Image // to be closed
	closed bool
}

// An opened image is there, or there is a reason why not.
type opened struct {
	image *Image
	err   error
}

// UseImage says in which file vmlinux with debug information is; "" has it looked
// for where it usually is.
func (k *Kernel) UseImage(path string) {
	k.images.mu.Lock()
	defer k.images.mu.Unlock()
	if k.images.path != path {
		k.images.path = path
		delete(k.images.known, vmlinux) // who has it open may go on with it
	}
}

// Image opens the file that a module, or vmlinux, was made from. If there is none
// the error is a *Missing that says where it was looked for.
func (k *Kernel) Image(module string) (*Image, error) {
	im := &k.images
	im.mu.Lock()
	defer im.mu.Unlock()
	if o := im.known[module]; o != nil {
		return o.image, o.err
	}
	if im.closed {
		return nil, fmt.Errorf("read the debug information of %s: %w", module, fs.ErrClosed)
	}
	o := &opened{}
	if o.image, o.err = k.openImage(module, im.path); o.image != nil {
		im.all = append(im.all, o.image)
	}
	if im.known == nil {
		im.known = map[string]*opened{}
	}
	im.known[module] = o
	return o.image, o.err
}

func (im *images) close() error {
	im.mu.Lock()
	defer im.mu.Unlock()
	im.closed = true
	var errs []error
	for _, i := range im.all {
		errs = append(errs, i.close())
	}
	im.all = nil
	return errors.Join(errs...)
}

// openImage looks for the file of a module.
func (k *Kernel) openImage(module, path string) (*Image, error) {
	id := k.BuildID(module)
	if id == "" {
		return nil, &Missing{What: "debug information of " + module, Why: "the kernel does not tell the build id by which it would be known",
			Remedy: "read /sys/kernel/notes: a kernel that is linked with --build-id tells it there"}
	}
	places := k.ImagePaths(module)
	if module == vmlinux && path != "" {
		places = []string{path}
	}
	var wrong error // of the last file that is there and cannot be used
	for _, p := range places {
		i, err := k.tryImage(module, p, id)
		if err == nil {
			return i, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			wrong = err
		}
	}
	return nil, k.noImage(module, places, wrong)
}

// tryImage opens a file if it is that of the module that runs.
func (k *Kernel) tryImage(module, path, id string) (*Image, error) {
	f, err := k.roots.Files.Open(path)
	if err != nil {
		return nil, err
	}
	i := &Image{Module: module, Path: path, file: f}
	if err := k.fit(i, id); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return i, nil
}

// fit holds that an image is of what runs, opens its debug information, and finds
// out where it runs.
func (k *Kernel) fit(i *Image, id string) error {
	if got := i.file.BuildID(); got != id {
		if got == "" {
			got = "none"
		}
		return fmt.Errorf("it is not of the kernel that runs: its build id is %s, and that of what runs is %s", got, id)
	}
	d, err := k.roots.Files.DebugOf(i.file)
	if err != nil {
		return err
	}
	i.Debug = d
	if i.Module == vmlinux {
		i.slide, err = k.slide(d.File())
	} else {
		i.sections, err = k.sections(i.Module, d.File())
	}
	if err != nil {
		d.Close()
	}
	return err
}

// slide works out how far the kernel runs from where its file says.
func (k *Kernel) slide(f *binary.File) (uint64, error) {
	const mark = "_stext"
	syms, err := k.symbols()
	if err != nil {
		return 0, err
	}
	running, ok := syms.Find(vmlinux, mark)
	if !ok {
		return 0, fmt.Errorf("the kernel does not list its symbol %s: %w", mark, ErrNoSymbol)
	}
	at, ok := f.SymbolAddress(mark)
	if !ok {
		return 0, fmt.Errorf("the file has no symbol %s", mark)
	}
	return running.Addr - at, nil
}

// sections reads where the sections of a module lie.
func (k *Kernel) sections(module string, f *binary.File) ([]placed, error) {
	dir := "module/" + module + "/sections"
	entries, err := fs.ReadDir(k.roots.Sys, dir)
	if err != nil {
		return nil, err
	}
	list := []placed{}
	for _, e := range entries {
		r, ok := f.Extent(e.Name())
		if !ok {
			continue
		}
		text, err := fs.ReadFile(k.roots.Sys, dir+"/"+e.Name())
		if err != nil {
			return nil, err
		}
		addr, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(string(text)), "0x"), 16, 64)
		if err != nil || addr == 0 {
			continue // hidden, or gone after the module had started
		}
		list = append(list, placed{addr, r})
	}
	if len(list) == 0 {
		return nil, errors.New("the kernel does not tell where its sections lie (run as root, with kernel.kptr_restrict 0 or 1)")
	}
	return list, nil
}
