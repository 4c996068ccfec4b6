package gen

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/types"
)

// SpellRecord spells a record of a clause as the Judge does.
func SpellRecord(l lower.Layout, b []byte, site lower.Site) string {
	var words []string
	for _, a := range l.Actions {
		if a.Flag > 0 && b[a.Flag] == 0 {
			continue
		}
		for _, d := range a.Data {
			words = append(words, spellDatum(d, d.Off, b, site))
		}
	}
	return fmt.Sprintf("record clause %d: %s", l.Clause.First, strings.Join(words, " "))
}

// SpellFault spells a fault as the Judge does.
func SpellFault(clause, action, kind, value int64) string {
	return fmt.Sprintf("fault clause %d action %d kind %d value %d", clause, action, kind, value)
}

// SpellKey spells the name of an aggregation with an encoded key.
func SpellKey(l lower.KeyLayout, key []byte, units []lower.Unit) string {
	name := fmt.Sprintf("@%s[", l.Agg.Name)
	for _, d := range l.Data {
		name += spellDatum(d, d.Part, key, siteOf(d, key, units)) + " "
	}
	return name + "]"
}

// Spell spells the cells of all aggregations, one a line.
func (j *Judge) Spell() string {
	var lines []string
	for name, table := range j.Aggs {
		for key, cell := range table {
			lines = append(lines, fmt.Sprintf("@%s[%s] %v", name, key, cell))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func spellDatum(d lower.Datum, part int, b []byte, site lower.Site) string {
	switch d.Enc {
	case lower.EncProbe:
		return fmt.Sprintf("%q", [...]string{site.Provider, site.Module, site.Function, site.Name}[part])
	case lower.EncBytes:
		return hex(b[d.Off : d.Off+d.Size])
	case lower.EncString:
		text, _, _ := strings.Cut(string(b[d.Off:d.Off+d.Size]), "\x00")
		return fmt.Sprintf("%q", text)
	}
	return SpellWord(b[d.Off:d.Off+d.Size], d.Type)
}

// SpellWord spells a number of type t as it lies in memory.
func SpellWord(b []byte, t types.Type) string {
	return fmt.Sprint(types.Wrap(little(b), t))
}

// siteOf finds the site that an element of a key names.
func siteOf(d lower.Datum, key []byte, units []lower.Unit) lower.Site {
	if d.Enc != lower.EncProbe {
		return lower.Site{}
	}
	n := binary.LittleEndian.Uint32(key[d.Off:])
	u := units[n>>lower.KeyUnitShift]
	i := slices.IndexFunc(u.Sites, func(s lower.Site) bool { return s.Key == n&(1<<lower.KeyUnitShift-1) })
	return u.Sites[i]
}

// AddCells adds up two cells of an aggregation, of sites that have the same name
// or of two CPUs; nil is no cell.
func AddCells(fn string, a, b []uint64) []uint64 {
	if a == nil {
		return b
	}
	if fn == "min" || fn == "max" {
		return []uint64{a[0] | b[0], max(a[1], b[1])} // the value is kept so that the greater word wins
	}
	sum := slices.Clone(a)
	for i := range sum {
		sum[i] += b[i]
	}
	switch fn {
	case "sum":
		sum[0] = a[0] | b[0]
	case "stddev":
		if sum[2] < b[2] {
			sum[3]++
		}
	}
	return sum
}
