package binary

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"strings"

	"github.com/ulikunitz/xz"

	"dscope.dev/probes/scout"
)

// debugDir is where distributions put debug information.
const debugDir = "/usr/lib/debug"

// Debug opens the file that holds what f was stripped of, with the symbols and
// the debug information: by build id, then by f's own .gnu_debuglink, beside f,
// in .debug beside it, and under /usr/lib/debug. It returns f itself if f has
// debug information.
func (r Root) Debug(f *File) (*File, error) {
	if f.section(".debug_info") >= 0 {
		return f, nil
	}
	id := f.BuildID()
	if len(id) > 2 {
		name := debugDir + "/.build-id/" + id[:2] + "/" + id[2:] + ".debug"
		if d, err := r.Open(name); err == nil {
			if d.BuildID() == id {
				return d, nil
			}
			d.Close()
		}
	}
	link, crc, err := f.debugLink()
	if err != nil {
		return nil, err
	}
	if link == "" {
		return nil, errors.New("it has no debug information and does not say where it is; install the package of its debug symbols")
	}
	dir := path.Dir(scout.Clean(f.path))
	for _, name := range []string{dir + "/" + link, dir + "/.debug/" + link, debugDir + dir + "/" + link} {
		if f.path == "" || name == scout.Clean(f.path) {
			continue
		}
		d, err := r.Open(name)
		if err != nil {
			continue
		}
		if d.belongs(id, crc) {
			return d, nil
		}
		d.Close()
	}
	return nil, fmt.Errorf("its debug information, %s, is not here; install the package of its debug symbols", link)
}

// belongs reports whether f is what a file with a build id or, if it has none,
// with a checksum in its .gnu_debuglink asks for.
func (f *File) belongs(id string, crc uint32) bool {
	if id != "" {
		return f.BuildID() == id
	}
	sum := crc32.NewIEEE()
	_, err := io.Copy(sum, io.NewSectionReader(f.r, 0, f.size))
	return err == nil && sum.Sum32() == crc
}

// debugLink returns the name and the checksum of the file with f's debug
// information, "" if f has none. The name leads nowhere else but to a file of a folder.
func (f *File) debugLink() (name string, crc uint32, err error) {
	i := f.section(".gnu_debuglink")
	if i < 0 {
		return "", 0, nil
	}
	data, err := f.content(i, maxName)
	if err != nil {
		return "", 0, err
	}
	end := bytes.IndexByte(data, 0)
	at := (end + 4) &^ 3
	if end <= 0 || at+4 > len(data) {
		return "", 0, errors.New("its .gnu_debuglink makes no sense")
	}
	name = string(data[:end])
	if strings.ContainsRune(name, '/') || name == "." || name == ".." {
		return "", 0, errors.New("its .gnu_debuglink leads out of the folder")
	}
	return name, f.elf.ByteOrder.Uint32(data[at:]), nil
}

// alt opens the file that f shares parts of its debug information with (made by
// dwz), nil if there is none.
func (r Root) alt(f *File) (*File, error) {
	i := f.section(".gnu_debugaltlink")
	if i < 0 {
		return nil, nil
	}
	data, err := f.content(i, maxName)
	if err != nil {
		return nil, err
	}
	end := bytes.IndexByte(data, 0)
	if end <= 0 || len(data)-end-1 > maxBuildID {
		return nil, errors.New("its .gnu_debugaltlink makes no sense")
	}
	name, id := string(data[:end]), fmt.Sprintf("%x", data[end+1:])
	places := []string{name}
	if !path.IsAbs(name) {
		places = []string{path.Join(path.Dir(scout.Clean(f.path)), name), path.Join(debugDir, ".dwz", path.Base(name))}
	}
	if len(id) > 2 {
		places = append(places, debugDir+"/.build-id/"+id[:2]+"/"+id[2:]+".debug")
	}
	for _, p := range places {
		d, err := r.Open(p)
		if err != nil {
			continue
		}
		if d.BuildID() == id {
			return d, nil
		}
		d.Close()
	}
	return nil, fmt.Errorf("what it shares with others, %s, is not here", name)
}

// Mini returns the symbols that are packed into .gnu_debugdata as a file of their
// own, nil if there are none. It lives in memory.
func (f *File) Mini() (m *File, err error) {
	defer guard(&err, "unpack .gnu_debugdata")
	i := f.section(".gnu_debugdata")
	if i < 0 {
		return nil, nil
	}
	packed, err := f.content(i, maxPacked)
	if err != nil {
		return nil, err
	}
	defer f.budget.Give(uint64(len(packed)))
	if err := oneBlock(packed); err != nil {
		return nil, fmt.Errorf("unpack .gnu_debugdata: %w", err)
	}
	r, err := xz.ReaderConfig{SingleStream: true}.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack .gnu_debugdata: %w", err)
	}
	data, err := f.budget.ReadAll("what .gnu_debugdata unpacks to", r, maxMini)
	if err != nil {
		return nil, fmt.Errorf("unpack .gnu_debugdata: %w", err)
	}
	return New(bytes.NewReader(data), int64(len(data)))
}

// maxDictionary is the code for a dictionary of 64 MiB, which xz -9 takes.
const maxDictionary = 28

// oneBlock holds that what was packed by xz is one block with a dictionary of a
// size that makes sense: the reader takes memory for whatever the block asks.
func oneBlock(b []byte) error {
	const head, foot = 12, 12
	if len(b) < head+foot+16 {
		return io.ErrUnexpectedEOF
	}
	back := (int64(uint32(b[len(b)-8])|uint32(b[len(b)-7])<<8|uint32(b[len(b)-6])<<16|uint32(b[len(b)-5])<<24) + 1) * 4
	index := int64(len(b)) - foot - back
	if index < head || b[index] != 0 || b[index+1] != 1 {
		return errors.New("it is not one block")
	}
	block := b[head:]
	at, flags := 2, block[1]
	for _, bit := range []byte{0x40, 0x80} { // the sizes, each a number of seven bits a byte
		if flags&bit == 0 {
			continue
		}
		for at < len(block) && block[at]&0x80 != 0 {
			at++
		}
		at++
	}
	if flags&3 != 0 || at+3 > len(block) || block[at] != 0x21 || block[at+1] != 1 || block[at+2] > maxDictionary {
		return errors.New("it is packed in a way that is not used for symbols")
	}
	return nil
}
