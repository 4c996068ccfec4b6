package ui

import (
	"dscope.dev/themes"
	"dscope.dev/ui/config"
)

// said makes the options those that the user's configuration says.
func (o *Options) said() {
	if o.Config == nil {
		c := config.Default()
		o.Config = &c
	}
	if o.Keys == nil {
		o.Keys = o.Config.Keys
	}
	if d := (map[string]themes.Depth{"24bit": themes.TrueColor, "256": themes.Colors256, "16": themes.Colors16, "none": themes.NoColor})[o.Config.Colours]; o.Depth == themes.Auto {
		o.Depth = d
	}
	switch o.Config.Glyphs {
	case "ascii":
		o.ASCII = true
	case "unicode":
		o.ASCII = false
	}
}

// themeName returns the theme to begin with: that of the configuration, else the one that
// was chosen last, else "", which suits the terminal. A name of neither is as if nothing
// had been said.
func (o *Options) themeName() string {
	for _, name := range []string{o.Config.Theme, o.Store.Theme()} {
		if themes.Known(name) {
			return name
		}
	}
	return ""
}

// shapeOf returns the layout that a configuration asks for.
func shapeOf(c config.Layout) shape {
	s := shape{usual: defaultShape.usual.clone(), wide: defaultShape.wide.clone()}
	usual := config.Default().Layout
	set := func(p *part, percent, usual int) {
		if percent != usual { // who says so wants no more than that
			p.share, p.most = percent*10, 0
		}
	}
	set(&s.usual.parts[0], c.Probes, usual.Probes)
	set(&s.usual.parts[1].parts[0], c.Script, usual.Script)
	set(&s.usual.parts[1].parts[1], c.Live, usual.Live)
	s.usual.parts[1].dragged = c.Script != usual.Script || c.Live != usual.Live
	set(&s.wide.parts[0], c.WideProbes, usual.WideProbes)
	set(&s.wide.parts[1].parts[0], c.WideScript, usual.WideScript)
	set(&s.wide.parts[2], c.WideLive, usual.WideLive)
	return s
}
