package picture

import (
	"fmt"

	"dscope.dev/engine/trace/spell"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/flame"
	"dscope.dev/ui/widget"
)

// mostLevels bounds how deep an icicle is drawn.
const mostLevels = 100

// icicle draws the stacks of all keys merged: the outermost frames on top, each as wide as
// its share. A frame that is no half of a pixel wide is left out.
func (p *paper) icicle(f *figure) {
	const parts = 2 // of a pixel, in which the layout counts
	t := f.tree
	levels := chart.NewIcicle(t, 0, (width-2*margin)*parts, mostLevels)
	whole := float64(t.Total())
	for _, slabs := range levels {
		y := float64(p.h)
		p.h += line
		for _, s := range slabs {
			x, w := margin+float64(s.X)/parts, float64(s.W)/parts
			n := spell.Divided(f.table.Func, t.Nodes[s.Node].Total, f.table.Normal)
			p.box(x, y, max(w-0.5, 0.5), line-1, frameClass(t.Name(s.Node).Kind),
				fmt.Sprintf("%s: %d, %.1f%%", t.Full(s.Node), n, 100*float64(t.Nodes[s.Node].Total)/whole))
			if name := fit(t.Text(s.Node), w-6); name != "" && name != "…" {
				p.text(x+3, y+13, "i", "start", name)
			}
		}
	}
	if t.Empty() {
		p.h += line
		p.text(margin, float64(p.h), "m", "start", "no stack has a value")
	}
	p.h += 8
	x := float64(margin)
	for _, kind := range [...]flame.Kind{flame.User, flame.Kernel} {
		p.box(x, float64(p.h), 12, 12, frameClass(kind), "")
		p.text(x+18, float64(p.h+11), "m", "start", kind.String())
		x += 90
	}
	if t.Negative > 0 {
		p.text(x, float64(p.h+11), "m", "start", widget.Count(t.Negative, "key")+" below zero left out")
	}
	p.h += line
}

func frameClass(k flame.Kind) string {
	switch k {
	case flame.User:
		return "u"
	case flame.Kernel:
		return "k"
	}
	return "o"
}
