package load

import (
	"github.com/cilium/ebpf"

	"dscope.dev/engine/codegen"
	"dscope.dev/engine/kmap"
)

// A handover is what a run needs to take the place of another, and to give up its own:
// see codegen's handover.go.
type handover struct {
	m     *ebpf.Map
	words *kmap.Shared
	mine  uint64 // number of the run
}

// shareHandover gives the programs the map of the run whose place they take.
func (k *Loaded) shareHandover(own map[string]*ebpf.Map) map[string]*ebpf.Map {
	name := k.obj.Maps.Handover
	if name == "" || k.before == nil || k.before.hand == nil {
		return own
	}
	if own == nil {
		own = map[string]*ebpf.Map{}
	}
	own[name] = k.before.hand.m
	return own
}

// openHandover makes ready to take the place of the run before, or else has the baton.
func (k *Loaded) openHandover(cpus int) error {
	m := k.coll.Maps[k.obj.Maps.Handover]
	if m == nil {
		return nil
	}
	words, err := kmap.Share(m)
	if err != nil {
		return err
	}
	k.hand = &handover{m: m, words: words, mine: 1}
	if k.before != nil && k.before.hand != nil {
		k.hand.mine = k.before.hand.mine + 1
	} else {
		k.hand.tell(cpus)
	}
	k.control.Store64(codegen.ControlMine, k.hand.mine)
	return nil
}

// tell writes into all words whose run it is.
func (h *handover) tell(cpus int) {
	h.words.Store64(codegen.HandBaton, h.mine)
	for i := range cpus {
		h.words.Store64(codegen.HandCPU+8*i, h.mine)
	}
}

// Close gives back the mapping; the map is the collection's.
func (h *handover) Close() error {
	if h == nil {
		return nil
	}
	return h.words.Close()
}

// takes reports whether the run takes the place of another, which goes on until then.
func (k *Loaded) takes() bool {
	return k.before != nil && k.hand != nil && k.before.hand != nil
}

// Ready holds back what is going to be attached until begin is called: by the run before,
// if its place is taken.
func (k *Loaded) Ready() {
	if k.takes() {
		k.control.Swap32(codegen.ControlStop, 0, codegen.Coming)
	} else {
		k.Hold()
	}
}

// Begin lets all fire that is attached, in the place of the run before if there is one. Cpus
// is one more than the highest number of a CPU.
func (k *Loaded) Begin(cpus int) error {
	if !k.takes() {
		k.Release()
	} else if err := k.takeOver(cpus); err != nil {
		return err
	}
	k.before = nil // which would be kept for as long as this one lives
	return nil
}

// takeOver hands the baton from the run before to k, all of whose probes are attached.
func (k *Loaded) takeOver(cpus int) (err error) {
	old := k.before
	old.control.Swap32(codegen.ControlStop, 0, codegen.Leaving)
	defer old.control.Swap32(codegen.ControlStop, codegen.Leaving, codegen.Held)
	if err := k.settle(); err != nil { // now each firing asks for the baton
		return err
	}
	k.hand.words.Store64(codegen.HandBaton, k.hand.mine)
	if err := k.settle(); err != nil { // and now none is under way that has found the old one
		return err
	}
	k.hand.tell(cpus)
	k.control.Store64(codegen.ControlLate, 0)
	k.control.Swap32(codegen.ControlStop, codegen.Coming, 0)
	return nil
}
