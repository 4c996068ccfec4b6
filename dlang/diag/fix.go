package diag

import "dscope.dev/dlang/token"

// A Fix is a change of the script that its author most likely meant, or after which a
// complaint is gone.
type Fix struct {
	At     token.Span // what is replaced; nothing if it ends where it begins
	Text   string     // what stands there then
	Option string     // if set, the change is not that, but this option at the top: destructive, zdefs
}

// Instead offers to write text at a place and returns d, so that calls chain.
func (d *Diagnostic) Instead(at token.Span, text string) *Diagnostic {
	d.Fixes = append(d.Fixes, Fix{At: at, Text: text})
	return d
}

// Insert offers to write text before a place and returns d, so that calls chain.
func (d *Diagnostic) Insert(at token.Pos, text string) *Diagnostic {
	return d.Instead(token.Span{From: at, To: at}, text)
}

// Set offers to set an option and returns d, so that calls chain.
func (d *Diagnostic) Set(option string) *Diagnostic {
	d.Fixes = append(d.Fixes, Fix{Option: option})
	return d
}
