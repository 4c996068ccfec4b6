package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"dscope.dev/engine/internal/names"
	"dscope.dev/engine/ps"
	"dscope.dev/engine/symbol"
	"dscope.dev/engine/trace"
)

// What is far behind the last symbol of a module is not in it: nobody says where modules end.
const mostModule = 16 << 20

// kernelHalf is where addresses of the kernel begin, on all machines that are traced.
const kernelHalf = 1 << 63

// Lead tells where a lead leads now, of what runs: to a path, or to a symbol and the place in
// it, or in a file. It is "" if an address lies in nothing that has a name.
func (e *Engine) Lead(ctx context.Context, l trace.Lead) (string, error) {
	if l.Kind == trace.AddressLead && l.N >= kernelHalf && e.machine.Seal != nil {
		return "", errors.New("where an address of the kernel leads takes the right kernel")
	}
	if l.Kind == trace.AddressLead && l.N >= kernelHalf {
		return e.leadInKernel(l.N), nil
	}
	if err := e.rights.Mine(l.PID); err != nil {
		return "", err
	}
	if err := sameProcess(l.PID, l.At); err != nil {
		return "", err
	}
	to, err := "", error(nil)
	switch l.Kind {
	case trace.DescriptorLead:
		to, err = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", l.PID, l.N))
		if errors.Is(err, os.ErrNotExist) {
			err = errors.New("closed")
		}
	case trace.AddressLead:
		to, err = leadInProcess(l.PID, l.N)
	}
	// What was read may be another's if it has ended meanwhile.
	if gone := sameProcess(l.PID, l.At); gone != nil {
		return "", gone
	}
	return to, errors.Join(err, ctx.Err())
}

// sameProcess reports why a process is not the one that fired at a time.
func sameProcess(pid int, at time.Time) error {
	p, err := ps.New().Find(pid)
	if err != nil {
		return err
	}
	if !at.IsZero() && born(p).After(at.Add(time.Second)) { // clocks are told in hundredths of a second
		return fmt.Errorf("process %d has ended, and %s has its number now", pid, p.Name)
	}
	return nil
}

// born returns when a process was born; the zero time if that is not known.
func born(p trace.Process) time.Time {
	text, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return time.Time{}
	}
	first, _, _ := strings.Cut(string(text), " ")
	up, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration((up - float64(p.Born)/100) * float64(time.Second)))
}

// leadInKernel names an address of the kernel.
func (e *Engine) leadInKernel(addr uint64) string {
	t := symbol.New(func() symbol.Kernel { return names.OfKernel(e.machine.Kernel) })
	defer t.Close()
	f := t.Kernel(addr)
	if f.Symbol == "" || f.Offset > mostModule {
		return ""
	}
	return f.String()
}

// leadInProcess names an address of a process: by its symbol, by the place in the file that is
// mapped there, or by what the kernel calls the piece of memory, such as [heap].
func leadInProcess(pid int, addr uint64) (string, error) {
	t := symbol.New(nil)
	defer t.Close()
	f := t.User(uint32(pid), addr)
	switch {
	case f.Module == "":
		return "", nil
	case f.Symbol == "" && strings.HasPrefix(f.Module, "["):
		return f.Module, nil
	case f.Symbol == "":
		f.Raw = true
	}
	return f.String(), nil
}
