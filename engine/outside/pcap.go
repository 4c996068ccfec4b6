package outside

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"dscope.dev/engine/trace"
)

// A dump is a stream of packets in the format of pcap files, version 2.4, as
// the draft "PCAP Capture File Format" of the IETF has it: a header of 24 bytes,
// then 16 bytes before each packet.
type dump struct {
	w     io.Writer
	close io.Closer
	begun bool
	link  uint32 // what all its packets begin with
}

const (
	pcapMagic = 0xa1b23c4d // times have nanoseconds
	snapLen   = 1 << 18    // the most that tools accept
)

// resume finds out what the file already holds, to which packets are added.
func (d *dump) resume(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var head [24]byte
	switch n, err := io.ReadFull(f, head[:]); {
	case n == 0:
		return nil
	case err != nil || binary.LittleEndian.Uint32(head[:]) != pcapMagic:
		return fmt.Errorf("%s holds something else", name)
	}
	d.begun, d.link = true, binary.LittleEndian.Uint32(head[20:])
	return nil
}

// packet appends a packet. A stream has packets of one kind.
func (d *dump) packet(p *trace.Packet) error {
	var b []byte
	if !d.begun {
		b = binary.LittleEndian.AppendUint32(b, pcapMagic)
		b = binary.LittleEndian.AppendUint16(b, 2)
		b = binary.LittleEndian.AppendUint16(b, 4)
		b = append(b, make([]byte, 8)...) // time zone and accuracy, always zero
		b = binary.LittleEndian.AppendUint32(b, snapLen)
		b = binary.LittleEndian.AppendUint32(b, linkType(p.Proto))
		d.begun, d.link = true, linkType(p.Proto)
	}
	if linkType(p.Proto) != d.link {
		return fmt.Errorf("capture packets: one of protocol %d does not go into a file of protocol %d", p.Proto, d.link)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(p.Time.Unix()))
	b = binary.LittleEndian.AppendUint32(b, uint32(p.Time.Nanosecond()))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.Data)))
	b = binary.LittleEndian.AppendUint32(b, p.Length)
	_, err := d.w.Write(append(b, p.Data...))
	return err
}

// linkType is how files number what packets begin with. It is what programs use
// but for packets that begin with their IP header, which are numbered unlike on
// different systems there (DLT_RAW), and alike in files.
func linkType(proto uint32) uint32 {
	const dltRaw, linkRaw = 12, 101
	if proto == dltRaw {
		return linkRaw
	}
	return proto
}

// A shark is a tshark that decodes packets as they come.
type shark struct {
	dump
	cmd  *exec.Cmd
	done sync.WaitGroup
}

// nobody is the user and group that tshark runs as: it reads what anybody may
// have sent, and needs no privilege for it.
const nobody = 65534

// startShark starts tshark, whose lines go to out. It returns nil if there is
// none that works.
func startShark(out io.Writer) *shark {
	if exec.Command("tshark", "-v").Run() != nil {
		return nil
	}
	s := &shark{cmd: exec.Command("tshark", "-l", "-n", "-r", "-")}
	s.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt is for the run, which then ends tshark
	if os.Geteuid() == 0 {
		s.cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil
	}
	lines, err := s.cmd.StdoutPipe()
	if err != nil || s.cmd.Start() != nil {
		return nil
	}
	s.w, s.close = in, in
	s.done.Add(1)
	go func() {
		defer s.done.Done()
		for text := bufio.NewScanner(lines); text.Scan(); {
			fmt.Fprintf(out, "pcap \t%s\n", text.Text())
		}
	}()
	return s
}

// end lets tshark decode what it has, and waits for it.
func (s *shark) end() error {
	s.close.Close() // it has read what it wanted if this fails
	s.done.Wait()
	s.cmd.Wait() // how it ends is its own affair: what it printed has been seen
	return nil
}
