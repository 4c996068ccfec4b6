package browser

import (
	"slices"
	"strings"

	"dscope.dev/engine/trace"
)

// newProcessCatalog builds the catalog of a process: what it carries, and the functions
// of the files that have been read, by their number.
func newProcessCatalog(info *trace.ProcessInfo, read map[int][]trace.Probe) *Catalog {
	n := len(info.Probes)
	for _, list := range read {
		n += len(list)
	}
	probes := make([]trace.Probe, 0, n)
	probes = append(probes, info.Probes...)
	paths := map[string]bool{}
	for i, m := range info.Modules {
		probes = append(probes, read[i]...)
		paths[m.Path] = read[i] != nil
	}
	if !slices.IsSortedFunc(probes, compareProbes) {
		slices.SortFunc(probes, compareProbes)
	}
	probes = slices.Compact(probes) // two files of one name
	c := NewCatalog(probes, info.Missing)
	c.process, c.read = info, paths
	if name := functionsOf(info); !slices.ContainsFunc(c.providers, func(p trace.ProviderInfo) bool { return p.Name == name }) {
		c.providers = append(c.providers, trace.ProviderInfo{Name: name})
	}
	first := func(p trace.ProviderInfo) int { // functions are what most are after
		switch {
		case p.Name == functionsOf(info):
			return 0
		case p.Unavailable == "":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(c.providers, func(a, b trace.ProviderInfo) int { return first(a) - first(b) })
	return c
}

// files returns the lines of the files below the functions of a process.
func (c *Catalog) files(r row) []row {
	parts := map[string]span{}
	for _, s := range groups(c.probes, r.span, moduleLevel) {
		parts[c.probes[s.from].Module] = s
	}
	var out []row
	for i, f := range c.process.Modules {
		child := row{level: moduleLevel, depth: r.depth + 1, label: f.Name, file: i + 1}
		if c.read[f.Path] {
			child.span = parts[f.Name]
		}
		out = append(out, child)
	}
	return out
}

// replant takes the open branches of the tree over to another catalog of the same
// process, or of the machine, and opens those of files that somebody waits for.
func (m *Model) replant(c *Catalog) {
	open, at := map[string]bool{}, ""
	walk(m.tree, func(i int, path string) {
		if m.tree[i].open {
			open[path] = true
		}
		if i == m.at {
			at = path
		}
	})
	tree := c.roots()
	paths := make([]string, 0, len(tree))
	var grow func(rows []row, above string)
	grown := make([]row, 0, len(m.tree))
	grow = func(rows []row, above string) {
		for _, r := range rows {
			path := above + "\x00" + r.label
			wanted := open[path] || r.file > 0 && m.scope.opens[r.file-1] && m.scope.read[r.file-1] != nil
			n := len(grown)
			grown, paths = append(grown, r), append(paths, path)
			if wanted && !r.leaf && r.reason == "" {
				if r.file > 0 {
					delete(m.scope.opens, r.file-1)
				}
				grown[n].open = true
				grow(c.children(r), path)
			}
		}
	}
	grow(tree, "")
	m.tree = grown
	m.at = max(slices.Index(paths, at), 0)
}

// walk calls f with each line of a tree and the labels that lead to it.
func walk(tree []row, f func(i int, path string)) {
	var labels []string
	for i, r := range tree {
		labels = append(labels[:min(r.depth, len(labels))], r.label)
		f(i, "\x00"+strings.Join(labels, "\x00"))
	}
}
