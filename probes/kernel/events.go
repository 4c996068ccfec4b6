package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An Event is one event of tracefs.
type Event struct{ Group, Name string }

// SyscallGroup is the group of the events that stand for system calls and not
// for tracepoints.
const SyscallGroup = "syscalls"

// Events lists the events that the kernel was built with, by group and name:
// one for each tracepoint that has an event, and the group syscalls. What
// people added at run time (kprobes, uprobes, synthetic events) is left out,
// for no tracepoint stands behind it.
func (k *Kernel) Events() ([]Event, error) { return k.events() }

func (k *Kernel) loadEvents() ([]Event, error) {
	list, err := k.readTracing("available_events", "list of events")
	if err != nil {
		return nil, err
	}
	dynamic := k.dynamicEvents()
	events := make([]Event, 0, bytes.Count(list, []byte("\n")))
	for line := range strings.Lines(string(list)) {
		group, name, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || dynamic[Event{group, name}] {
			continue
		}
		if n := len(events); n > 0 && events[n-1].Group == group {
			group = events[n-1].Group // the same string, which is compared at once
		}
		events = append(events, Event{group, name})
	}
	slices.SortFunc(events, func(a, b Event) int {
		if a.Group != b.Group {
			return strings.Compare(a.Group, b.Group)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return slices.Compact(events), nil
}

// dynamicEvents reads the events that were added at run time. A line is
// p:group/name …, where the letter tells the kind and may carry a number.
func (k *Kernel) dynamicEvents() map[Event]bool {
	list, err := k.readTracing("dynamic_events", "list of events added at run time")
	if err != nil {
		return nil // older kernels and those without the feature have none
	}
	found := map[Event]bool{}
	for line := range strings.Lines(string(list)) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, word, _ = strings.Cut(word, ":")
		if group, name, ok := strings.Cut(word, "/"); ok {
			found[Event{group, name}] = true
		}
	}
	return found
}

// A Format is how an event lays out its record.
type Format struct {
	Name   string
	ID     int
	Fields []FormatField // those of the event itself, without the common ones
}

// A FormatField is one field of a Format.
type FormatField struct {
	Type   string // as C spells it: const char *
	Name   string
	Len    int // elements if it is an array, else 0
	Offset int // in bytes
	Size   int // in bytes
	Signed bool
}

// Format reads the format file of an event.
func (k *Kernel) Format(e Event) (Format, error) {
	data, err := k.readTracing("events/"+e.Group+"/"+e.Name+"/format", "format of event "+e.Group+":"+e.Name)
	if err != nil {
		return Format{}, err
	}
	f, err := ParseFormat(string(data))
	if err != nil {
		return Format{}, fmt.Errorf("event %s:%s: %w", e.Group, e.Name, err)
	}
	return f, nil
}

// ParseFormat reads the text of a format file:
//
//	name: sys_enter_read
//	ID: 842
//	format:
//		field:char * buf;	offset:24;	size:8;	signed:0;
//
//	print fmt: …
//
// The common fields come first and are set off by an empty line.
func ParseFormat(text string) (Format, error) {
	var f Format
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "name:"):
			f.Name = strings.TrimSpace(line[5:])
		case strings.HasPrefix(line, "ID:"):
			n, err := strconv.Atoi(strings.TrimSpace(line[3:]))
			if err != nil {
				return Format{}, fmt.Errorf("format: the ID is no number: %q", line)
			}
			f.ID = n
		case strings.HasPrefix(line, "field:"):
			field, err := parseField(line)
			if err != nil {
				return Format{}, err
			}
			if !strings.HasPrefix(field.Name, "common_") {
				f.Fields = append(f.Fields, field)
			}
		case strings.HasPrefix(line, "print fmt:"):
			return f, nil
		}
	}
	if f.Name == "" {
		return Format{}, errors.New("format: it has no name")
	}
	return f, nil
}

// parseField reads field:TYPE NAME[LEN];	offset:N;	size:N;	signed:N;
func parseField(line string) (FormatField, error) {
	var f FormatField
	for i, part := range strings.Split(line, ";") {
		word, value, _ := strings.Cut(strings.TrimSpace(part), ":")
		if i == 0 {
			f.Type, f.Name, f.Len = splitDecl(value)
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil && value != "" {
			return f, fmt.Errorf("format: %s of field %s is no number: %q", word, f.Name, value)
		}
		switch word {
		case "offset":
			f.Offset = n
		case "size":
			f.Size = n
		case "signed":
			f.Signed = n == 1
		}
	}
	if f.Name == "" {
		return f, fmt.Errorf("format: a field has no name: %q", line)
	}
	return f, nil
}

// splitDecl cuts a declaration such as "char comm[16]" into type and name. The
// kernel writes __data_loc char[] name too: then the brackets stay with the type.
func splitDecl(decl string) (typ, name string, length int) {
	decl = strings.TrimSpace(decl)
	if i := strings.IndexByte(decl, '['); i >= 0 && strings.HasSuffix(decl, "]") {
		length, _ = strconv.Atoi(decl[i+1 : len(decl)-1]) // a length that is an expression is told by size
		decl = decl[:i]
	}
	i := strings.LastIndexFunc(decl, func(r rune) bool {
		return r != '_' && !('a' <= r && r <= 'z') && !('A' <= r && r <= 'Z') && !('0' <= r && r <= '9')
	})
	return strings.TrimSpace(decl[:i+1]), decl[i+1:], length
}
