// Package outside does what a script asks for beyond its output: it runs the
// commands of system(), opens the files of freopen(), and brings the packets of
// pcap() into a file or before tshark.
//
// None of it happens in the engine. Records say what is to be done, at its place
// among the other output, and whoever prints a run carries it out when its turn
// comes, as DTrace's consumer does: a World for a run on a terminal or in a
// pipe. A run that is watched in the workbench, or recorded, goes through Keep
// instead, which runs the commands and makes what they write a part of the run;
// so a replay shows it and runs nothing.
package outside

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"dscope.dev/engine/trace"
)

// A World carries out what a run asks for. It is used by one goroutine.
type World struct {
	out   io.Writer        // where the output of the run goes unless freopen() says otherwise
	files map[string]*dump // packets, by the name of their file
	shark *shark
	tried bool // whether tshark was looked for
}

// New returns a World for a run whose output goes to out.
func New(out io.Writer) *World { return &World{out: out, files: map[string]*dump{}} }

// System runs a command of the shell and waits for it. What it writes goes to
// to if that is a file, else to standard output.
func (w *World) System(command string, to io.Writer) error {
	c := exec.Command("/bin/sh", "-c", command)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if f, ok := to.(*os.File); ok {
		c.Stdout = f
	}
	err := c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil // how a command ends is its own affair
	}
	return err
}

// Open opens the file of a freopen(), to which output is added.
func (w *World) Open(name string) (io.WriteCloser, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	var at *os.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Truncate empties the file that the output goes to. What is no file cannot be
// emptied, and that is no error.
func (w *World) Truncate(to io.Writer) error {
	f, ok := to.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// Packet brings a packet into the file of a freopen(), or if there is none,
// before tshark. It reports whether it did; else the packet is to be printed.
func (w *World) Packet(p *trace.Packet, file string) (bool, error) {
	if file == "" {
		return w.decode(p), nil
	}
	d := w.files[file]
	if d == nil {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
		if err != nil {
			return true, fmt.Errorf("capture packets: %w", err)
		}
		d = &dump{w: f, close: f}
		if err := d.resume(file); err != nil {
			return true, errors.Join(fmt.Errorf("capture packets: %w", err), f.Close())
		}
		w.files[file] = d
	}
	return true, d.packet(p)
}

// decode hands a packet to tshark, if there is one that works.
func (w *World) decode(p *trace.Packet) bool {
	if !w.tried {
		w.tried = true
		w.shark = startShark(w.out)
	}
	return w.shark != nil && w.shark.packet(p) == nil
}

// Close ends tshark and closes the files with packets.
func (w *World) Close() error {
	var errs []error
	for _, d := range w.files {
		errs = append(errs, d.close.Close())
	}
	if w.shark != nil {
		errs = append(errs, w.shark.end())
	}
	w.files, w.shark = map[string]*dump{}, nil
	return errors.Join(errs...)
}
