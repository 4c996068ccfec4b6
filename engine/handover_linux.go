package engine

import (
	"context"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/mishap"
	"dscope.dev/engine/kmap"
	"dscope.dev/engine/trace"
)

// A handover is what a run needs to take the place of another, and to give up its own:
// see codegen's handover.go.
type handover struct {
	m     *ebpf.Map
	words *kmap.Shared
	mine  uint64 // number of the run
}

// shareHandover gives the programs the map of the run whose place they take.
func (k *loaded) shareHandover(own map[string]*ebpf.Map) map[string]*ebpf.Map {
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
func (k *loaded) openHandover(cpus int) error {
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
func (k *loaded) takes() bool {
	return k.before != nil && k.hand != nil && k.before.hand != nil
}

// takeOver hands the baton from the run before to k, all of whose probes are attached.
func (k *loaded) takeOver(cpus int) (err error) {
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

// Swap runs a script in the place of a run of e: old goes on until all probes of the new
// one are attached; then one step hands over, and each firing is counted by one of the two.
// After that old counts nothing more, and waits to be stopped or closed. If it fails, old
// goes on. What cannot be handed over (a replay, a run on a machine with very many CPUs) is
// started beside.
func (e *Engine) Swap(ctx context.Context, old trace.Run, asked trace.Script) (_ trace.Run, err error) {
	defer mishap.Catch(&err)
	return e.run(ctx, asked, sessionOf(old))
}

// sessionOf finds the session in a run, nil if there is none.
func sessionOf(r trace.Run) *Session {
	for {
		switch v := r.(type) {
		case *Session:
			return v
		case interface{ Unwrap() trace.Run }:
			r = v.Unwrap()
		default:
			return nil
		}
	}
}

// lend returns what s has loaded, and keeps it from going away until over is called. It is
// nil if it has gone, or s is nil.
func (s *Session) lend() (k *loaded, over func()) {
	if s == nil {
		return nil, func() {}
	}
	s.lending.Lock()
	if !s.gone {
		k = s.kernel
	}
	return k, s.lending.Unlock
}

// end frees what the kernel holds, unless another run is about to take its place.
func (s *Session) end() error {
	s.lending.Lock()
	defer s.lending.Unlock()
	s.gone = true
	return s.kernel.Close()
}
