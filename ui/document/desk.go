package document

import (
	"errors"
	"slices"

	"dscope.dev/ui/document/disk"
	"dscope.dev/ui/document/text"
)

// A Desk is the documents that are open, in the order in which they were opened. There is
// always one, and one of them is in front.
//
// What crashed editors left of scripts is offered and never put in the place of what was
// asked for: see Offer and Recover.
type Desk struct {
	docs  []*Document
	front int
	last  int    // the greatest id of a document so far
	state string // folder for copies of unsaved text; "" keeps none

	left []disk.Orphan // what may be recovered, newest first
}

// NewDesk returns a desk with an empty script on it. Copies of unsaved text are kept below
// state, unless that is "".
func NewDesk(state string) *Desk {
	k := &Desk{state: state}
	k.docs = []*Document{k.make(disk.File{})}
	return k
}

func (k *Desk) make(f disk.File) *Document {
	k.last++
	return newDocument(k.last, f, k.state)
}

// Front returns the document in front.
func (k *Desk) Front() *Document { return k.docs[k.front] }

// All returns the documents. The caller may not change the list.
func (k *Desk) All() []*Document { return k.docs }

// Place returns which of all documents is in front, from 0, and how many there are.
func (k *Desk) Place() (i, of int) { return k.front, len(k.docs) }

// Bring brings a document of the desk to the front. One that is open no more stays away.
func (k *Desk) Bring(d *Document) {
	if i := slices.Index(k.docs, d); i >= 0 {
		k.front = i
	}
}

// Step brings the next document to the front, or with by -1 the previous one, and around.
func (k *Desk) Step(by int) {
	n := len(k.docs)
	k.front = ((k.front+by)%n + n) % n
}

// About returns the document that r is about, be its text another by now; nil if it is open
// no more.
func (k *Desk) About(r Ref) *Document {
	for _, d := range k.docs {
		if d.Is(r) {
			return d
		}
	}
	return nil
}

// Find returns which document is that of a file; -1 if none is.
func (k *Desk) Find(path string) int {
	return slices.IndexFunc(k.docs, func(d *Document) bool { return path != "" && d.file.path == path })
}

// Put brings a script to the front: the document that it is already, or a new one. A new one
// takes the place of a script without a file that nobody would miss, whose copy is removed by
// the job; nil if there is none.
func (k *Desk) Put(f disk.File) Job {
	if i := k.Find(f.Path); i >= 0 {
		k.front = i
		return nil
	}
	d, front := k.make(f), k.Front()
	if front.file.path == "" && !front.Modified() {
		k.docs[k.front] = d
		return front.close()
	}
	k.front++
	k.docs = slices.Insert(k.docs, k.front, d)
	return nil
}

// Close takes the document in front away, with its copy: whoever asks knows what is lost. The
// one before it comes to the front. The job waits for the disk; it is nil if there is none.
func (k *Desk) Close() Job {
	job := k.Front().close()
	k.docs = slices.Delete(k.docs, k.front, k.front+1)
	if len(k.docs) == 0 {
		k.docs = append(k.docs, k.make(disk.File{}))
	}
	k.front = min(max(k.front-1, 0), len(k.docs)-1)
	return job
}

// Unsaved says what would be lost if all documents went now, a sentence each.
func (k *Desk) Unsaved() (out []string) {
	for _, d := range k.docs {
		if s := d.Unsaved(); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// End returns what removes all copies: whoever asks knows what is lost.
func (k *Desk) End() Job {
	jobs := make([]Job, len(k.docs))
	for i, d := range k.docs {
		jobs[i] = d.close()
	}
	return func() error {
		var errs []error
		for _, job := range jobs {
			if job != nil {
				errs = append(errs, job())
			}
		}
		return errors.Join(errs...)
	}
}

// Offer takes note of what crashed editors left. What says nothing new is done away with by
// the job; nil if there is no such thing.
func (k *Desk) Offer(orphans []disk.Orphan) Job {
	var same []disk.Orphan
	for _, o := range orphans {
		if i := k.Find(o.Path); i >= 0 && k.docs[i].Text() == o.Text {
			same = append(same, o)
			continue
		}
		if !slices.ContainsFunc(k.left, o.Is) {
			k.left = append(k.left, o)
		}
	}
	slices.SortStableFunc(k.left, func(a, b disk.Orphan) int { return b.Time.Compare(a.Time) })
	if same == nil {
		return nil
	}
	return func() error {
		var errs []error
		for _, o := range same {
			errs = append(errs, o.Discard())
		}
		return errors.Join(errs...)
	}
}

// Left returns what may be recovered: first that of the document in front, then the others,
// newest first.
func (k *Desk) Left() []disk.Orphan {
	out := slices.Clone(k.left)
	slices.SortStableFunc(out, func(a, b disk.Orphan) int {
		mine := func(o disk.Orphan) int {
			if o.Path == k.Front().file.path {
				return 0
			}
			return 1
		}
		return mine(a) - mine(b)
	})
	return out
}

// Recover takes over what was left of a script: its file, which the caller has read, comes to
// the front, and over it what was left as a change that undo takes back. The job makes that a
// copy of our own and then drops the orphan; nil if no copies are kept.
func (k *Desk) Recover(o disk.Orphan, f disk.File) Job {
	k.left = slices.DeleteFunc(k.left, o.Is)
	put := k.Put(f)
	d := k.Front()
	d.Change(text.Other, func() text.Sel {
		d.Buf.Replace(0, d.Buf.Size(), o.Text)
		return text.At(0)
	})
	keep := d.Flush()
	if keep == nil {
		return put
	}
	return func() error {
		if put != nil {
			put()
		}
		if err := keep(); err != nil {
			return err
		}
		return o.Discard()
	}
}
