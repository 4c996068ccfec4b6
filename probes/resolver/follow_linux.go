package resolver

// MostReaders is how many processes may read or open files for us at once.
const MostReaders = MostWorkers + 1

// scoutPlace is that of what opens files.
const scoutPlace = MostReaders - 1

// A follower is told which processes the workers are, and which opens files for them.
type follower struct{ set func(place, pid int) }

// Follow has set called with the number by which the kernel knows the worker of each place, for
// those that are there and whenever that changes, until end is called; 0 is nobody. A
// worker is told of before it reads anything. There are MostReaders places, the last that of what
// opens files.
func Follow(set func(place, pid int)) (end func()) {
	p := current()
	if p == nil {
		return func() {}
	}
	f := &follower{set}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told[f] = true
	for place := range p.places {
		f.tell(p, place)
	}
	f.set(scoutPlace, p.scout)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.told, f)
	}
}

// tell tells f who is at a place.
func (f *follower) tell(p *pool, place int) {
	if w := p.places[place]; w != nil {
		f.set(place, w.pid)
		return
	}
	f.set(place, 0)
}

// put puts a worker in the first place that holds another, and tells who follows.
func (p *pool) put(w, instead *worker) {
	for place, has := range p.places {
		if has != instead {
			continue
		}
		p.places[place] = w
		for f := range p.told {
			f.tell(p, place)
		}
		return
	}
}

// enter gives a worker a place, and leave takes it back: the number of its process may soon be
// somebody else's. The pool is locked.
func (p *pool) enter(w *worker) { p.put(w, nil) }
func (p *pool) leave(w *worker) { p.put(nil, w) }

// scouted is told which process opens files.
func (p *pool) scouted(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scout = pid
	for f := range p.told {
		f.set(scoutPlace, pid)
	}
}
