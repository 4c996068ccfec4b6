package plan

// A script is wide if the places that it enables, and that fire when the machine wants, count
// more than this. (BEGIN, timers and counters fire as often as the script says.) Those on the
// way of nearly everything, such as locks, RCU and interrupts, count many times.
const (
	widePlaces = 64
	hotPlace   = 16
)

// Wide reports whether a script is worth an estimate that nobody has asked for.
func (c *Plan) Wide() bool {
	places := 0
	for _, u := range c.Units {
		each := 1
		switch {
		case u.Hooks[0].Paced():
			continue
		case WithinHelpers(u.Hooks[0]):
			each = hotPlace
		}
		places += each * max(len(u.Hooks), len(u.Sites))
	}
	return places > widePlaces
}
