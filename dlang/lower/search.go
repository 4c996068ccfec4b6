package lower

import "dscope.dev/dlang/ir"

// search calls find or rfind. Where the verifier follows loops round by round, the
// two loops of these, one within the other, are too many ways for it. There all
// places are compared first, which costs the script more and the verifier less.
func (f *fn) search(sub string, p, part, from *ir.Value) *ir.Value {
	if !f.target.RoundByRound {
		return f.call(sub, p, part, from)
	}
	places := f.Alloca(f.strSize() + 8)
	f.run("places", p, part, places)
	if sub == "rfind" {
		return f.call("lastplace", places, from)
	}
	return f.call("firstplace", p, places, from)
}
