package usdt

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dscope.dev/probes"
)

// show writes points one a line.
func show(list []Point) string {
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "%s:%s:%s +%#x", p.Provider, p.Function, p.Name, p.Offset)
		if p.Semaphore != 0 {
			fmt.Fprintf(&b, " counter +%#x", p.Semaphore)
		}
		for _, o := range p.Args {
			fmt.Fprintf(&b, "; %s", spell(o))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const sampleText = `shop:main:sale-start +0x1010 counter +0x2100; s32 r14.4; u64 [r4+-8]; 8f@%xmm0 lies in a register for floating-point numbers and vectors, which the kernel does not hand to programs
shop:inner:sale-start +0x1205; s32 7; u32 [pc+2108931]
shop::sale-done +0x1300
`

// read reads the notes of a file that is in memory.
func read(data []byte, arch string) ([]Point, error) {
	return ReadFile(bytes.NewReader(data), int64(len(data)), arch)
}

func TestRead(t *testing.T) {
	list, err := read(sample().bytes(), "amd64")
	if got := show(list); err != nil || got != sampleText {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, sampleText)
	}
}

// TestMoved holds that a file that was moved after it was linked is read right: what
// the notes say is off by as much as their base.
func TestMoved(t *testing.T) {
	p := sample()
	p.notes = nil
	p.base = 0x400500 + 0x1000
	p.note(codeAddr-0x1000+0x10, dataAddr-0x1000+0x100, "shop", "sale__start", "-4@%edi 8@-8(%rbp) 8f@%xmm0")
	list, err := read(p.bytes(), "amd64")
	want, _, _ := strings.Cut(sampleText, "\n")
	if got := show(list); err != nil || got != want+"\n" {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
}

// TestStripped holds that dynamic symbols do where there are no others.
func TestStripped(t *testing.T) {
	p := sample()
	p.stripped = true
	if list, err := read(p.bytes(), "amd64"); err != nil || show(list) != sampleText {
		t.Errorf("got %v\n%s", err, show(list))
	}
}

// TestVersion holds that the version of a symbol, which may hold anything, is no part
// of a function's name.
func TestVersion(t *testing.T) {
	p := sample()
	p.symbols = []symbol{{"main@@VERS_\x1b[2J", codeAddr, 0x100, elf.STT_FUNC}, p.symbols[2], p.symbols[4]}
	if list, err := read(p.bytes(), "amd64"); err != nil || show(list) != sampleText {
		t.Errorf("got %v\n%s", err, show(list))
	}
}

func TestForeign(t *testing.T) {
	if _, err := read(sample().bytes(), "arm64"); !errors.Is(err, ErrForeign) || !strings.Contains(fmt.Sprint(err), "X86_64") {
		t.Errorf("got %v", err)
	}
	p := sample()
	p.machine = elf.EM_AARCH64
	p.notes = nil
	p.note(codeAddr, 0, "shop", "open", "8@[sp, 16] -4@w0")
	if list, err := read(p.bytes(), "arm64"); err != nil || show(list) != "shop:main:open +0x1000; u64 [r31+16]; s32 r0.4\n" {
		t.Errorf("got %v\n%s", err, show(list))
	}
}

// TestDamaged holds that what is wrong is told, and that the rest is still had.
func TestDamaged(t *testing.T) {
	for _, tt := range []struct {
		why   string
		spoil func(*program)
		kept  int
		want  string
	}{
		{"no code there", func(p *program) { p.note(dataAddr, 0, "shop", "odd", "") }, 3, "shop:odd lies at 0x604000, which no code is loaded to"},
		{"beyond the code", func(p *program) { p.note(codeAddr+segment, 0, "shop", "odd", "") }, 3, "no code is loaded to"},
		{"a counter in memory that is in no file", func(p *program) { p.note(codeAddr, dataAddr+segment, "shop", "odd", "") }, 3, "the counter of shop:odd lies at"},
		{"a name with a colon", func(p *program) { p.note(codeAddr, 0, "shop", "a:b", "") }, 3, "are no names"},
		{"a name with a slash", func(p *program) { p.note(codeAddr, 0, "../shop", "ab", "") }, 3, "are no names"},
		{"a control code", func(p *program) { p.note(codeAddr, 0, "shop", "ab", "8@\x1b[2J") }, 3, "no arguments of an assembler"},
		{"the provider of all functions", func(p *program) { p.note(codeAddr, 0, "pid", "entry", "") }, 3, "are no names"},
		{"too short", func(p *program) { p.raw("stapsdt\x00", noteType, make([]byte, 20)) }, 3, "too few"},
		{"no texts", func(p *program) { p.raw("stapsdt\x00", noteType, make([]byte, 25)) }, 3, "no provider"},
		{"cut off", func(p *program) { p.note(codeAddr, 0, "shop", "x", ""); p.notes = p.notes[:len(p.notes)-8] }, 3, "beyond its section"},
		{"a size beyond everything", func(p *program) {
			p.notes = p.order.AppendUint32(p.notes, 1<<31)
			p.notes = append(p.notes, make([]byte, 8)...)
		}, 3, "beyond its section"},
	} {
		p := sample()
		tt.spoil(p)
		list, err := read(p.bytes(), "amd64")
		if err == nil || !strings.Contains(err.Error(), tt.want) || len(list) != tt.kept {
			t.Errorf("%s: got %d, %v", tt.why, len(list), err)
		}
	}
}

func TestNothingThere(t *testing.T) {
	p := sample()
	p.notes = nil
	if list, err := read(p.bytes(), "amd64"); len(list) != 0 || err != nil {
		t.Errorf("got %v, %v", list, err)
	}
	if _, err := read([]byte("#!/bin/sh\n"), "amd64"); err == nil {
		t.Error("a script is no ELF file")
	}
}

// FuzzRead holds that no file makes the reader fail otherwise than by an error,
// and that what it returns can be probed: it lies in the file and has names.
func FuzzRead(f *testing.F) {
	f.Add(sample().bytes())
	big := sample()
	big.order = binary.BigEndian
	big.notes = nil
	big.note(codeAddr, 0, "shop", "open", "8@%rax")
	f.Add(big.bytes())
	arm := sample()
	arm.machine = elf.EM_AARCH64
	f.Add(arm.bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, arch := range []string{"amd64", "arm64"} {
			list, _ := read(data, arch)
			for _, p := range list {
				if p.Offset >= uint64(len(data)) || p.Semaphore >= uint64(len(data)) {
					t.Errorf("%+v lies beyond the file", p)
				}
				name := probes.Probe{Provider: p.Provider, Function: p.Function, Name: p.Name}.String()
				if p.Provider == "" || p.Name == "" || strings.Count(name, ":") != 3 || strings.ContainsFunc(name, isControl) {
					t.Errorf("%q is no name", name)
				}
			}
		}
	})
}

func isControl(r rune) bool { return r < ' ' || r > '~' }

// FuzzNotes gives the reader of notes a section of its own.
func FuzzNotes(f *testing.F) {
	f.Add(sample().notes)
	f.Fuzz(func(t *testing.T, data []byte) {
		list, _ := parseNotes(data, binary.LittleEndian)
		if len(list) > len(data)/36 {
			t.Errorf("%d notes in %d bytes", len(list), len(data))
		}
	})
}
