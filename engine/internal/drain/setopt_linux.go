package drain

import "dscope.dev/engine/trace"

// setopt changes an option in the middle of the run. If it cannot be changed the
// item becomes a complaint, at its place in the output.
func (d *Drain) setopt(it *trace.Item) {
	if err := d.opt.Change(it.Text); err != nil {
		it.Kind, it.Text = trace.WarnItem, err.Error()
	}
}
