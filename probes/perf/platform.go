package perf

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// A processor's own events are described in sysfs, by the driver of its counters:
// events/NAME holds what makes the event (event=0xc5,umask=0x11) and format/FIELD
// where such a field lies among the bits of the number (config:8-15).

// processors are what the drivers of processors' counters call them. Those of
// machines with two kinds of cores count on their own kind only, and are left out.
var processors = []string{"cpu", "armv8_pmuv3", "armv8_pmuv3_0"}

// platform reads the events of this processor, in name order, without those whose
// name is taken. A machine without counters has none.
func platform(sys fs.FS, taken []Event) []Event {
	var list []Event
	for _, name := range processors {
		dir := "bus/event_source/devices/" + name
		typ, err := number(sys, dir+"/type")
		if err != nil {
			continue
		}
		entries, err := fs.ReadDir(sys, dir+"/events")
		if err != nil {
			continue
		}
		for _, entry := range entries {
			e := Event{Name: eventName(entry.Name()), Type: typ, Steady: true, Help: "of the processor's event " + entry.Name()}
			text, err := fs.ReadFile(sys, dir+"/events/"+entry.Name())
			if err != nil || strings.Contains(entry.Name(), ".") { // NAME.unit and NAME.scale are about others
				continue
			}
			if e.Config, err = encode(sys, dir+"/format/", strings.TrimSpace(string(text))); err != nil {
				continue // it takes more than one number
			}
			same := func(o Event) bool { return o.Name == e.Name }
			if !slices.ContainsFunc(taken, same) && !slices.ContainsFunc(list, same) {
				list = append(list, e)
			}
		}
	}
	return list
}

// eventName spells a name as probes have it: - parts the name of a probe.
func eventName(name string) string { return strings.ReplaceAll(strings.ToLower(name), "-", "_") }

func number(sys fs.FS, file string) (uint32, error) {
	text, err := fs.ReadFile(sys, file)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 32)
	return uint32(n), err
}

// encode makes the number of an event of terms such as event=0xc5,umask=0x11. A
// term without a value is 1.
func encode(sys fs.FS, formats, terms string) (config uint64, err error) {
	for term := range strings.SplitSeq(terms, ",") {
		field, text, valued := strings.Cut(term, "=")
		value := uint64(1)
		if valued {
			if value, err = strconv.ParseUint(text, 0, 64); err != nil {
				return 0, err
			}
		}
		if !fs.ValidPath(field) || strings.Contains(field, "/") {
			return 0, fmt.Errorf("%q is no field", field)
		}
		format, err := fs.ReadFile(sys, formats+field)
		if err != nil {
			return 0, err
		}
		bits, err := spread(strings.TrimSpace(string(format)), value)
		if err != nil {
			return 0, fmt.Errorf("field %s: %w", field, err)
		}
		config |= bits
	}
	return config, nil
}

// spread puts a value into the bits that a format names: config:0-7,32-35 takes
// the lowest eight bits of the value first.
func spread(format string, value uint64) (uint64, error) {
	word, ranges, ok := strings.Cut(format, ":")
	if !ok || word != "config" {
		return 0, fmt.Errorf("%q is not in the first number of an event", format)
	}
	var config uint64
	for part := range strings.SplitSeq(ranges, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		low, err1 := strconv.ParseUint(from, 10, 6)
		high, err2 := strconv.ParseUint(to, 10, 6)
		if err1 != nil || err2 != nil || high < low {
			return 0, fmt.Errorf("%q is no range of bits", part)
		}
		width := high - low + 1
		config |= (value & (1<<width - 1)) << low // a shift by 64 leaves 0, and the mask all
		value >>= width
	}
	if value != 0 {
		return 0, fmt.Errorf("the value does not fit %s", format)
	}
	return config, nil
}
