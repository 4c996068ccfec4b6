package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// An Archive is where the recordings of a user are kept by a server, with JetStream: a stream
// for each user, so that permissions can tell users apart, and in it a subject for each
// recording, whose messages are its bytes in order.
//
//	dscope.kept.USER.NAME
//
// Each message says how many bytes of the recording stand before it. What is written is there
// as soon as the server has said so: who records may die, and what was kept is a recording
// that ends there.
type Archive struct {
	js    jetstream.JetStream
	user  string
	owner string
}

// A Recording is one that is kept.
type Recording struct {
	Name        string
	Size        int64 // bytes
	Begun, Last time.Time
}

func keptSubject(user, name string) string {
	return prefix + "kept." + spelled(user) + "." + spelled(name)
}

// stream is what the stream of a user is called.
func stream(user string) string { return "dscope_" + spelled(user) }

// atHeader says how many bytes of the recording stand before those of a message.
const atHeader = "Dscope-At"

// NewArchive returns the archive of owner, or that of user if owner is "". The server knows by
// the name of user who asks.
func NewArchive(nc *nats.Conn, user, owner string) (*Archive, error) {
	owner = cmp.Or(owner, user)
	if err := errors.Join(CheckName(user), CheckName(owner)); err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	return &Archive{js, user, owner}, nil
}

// answering is how long the server may take for one answer.
const answering = 5 * time.Second

// open finds the stream, or makes it if that is asked for.
func (a *Archive) open(ctx context.Context, create bool) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	s, err := a.js.Stream(ctx, stream(a.owner))
	if create && errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = a.js.CreateStream(ctx, jetstream.StreamConfig{Name: stream(a.owner), Description: "recordings of dscope",
			Subjects: []string{keptSubject(a.owner, "*")}, Storage: jetstream.FileStorage,
			Discard:     jetstream.DiscardNew, // a full server takes no more, and forgets nothing
			AllowDirect: true})
	}
	return s, a.told(err)
}

// told says what the server's word means.
func (a *Archive) told(err error) error {
	var said *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return fmt.Errorf("the server keeps no recordings of %s", a.owner)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		return errors.New("the server keeps nothing: its configuration has no jetstream { … } (dscope agent --server-conf shows one)")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return fmt.Errorf("the server does not answer, or does not let %s do this: dscope agent --server-conf shows what it has to permit", a.user)
	case errors.As(err, &said):
		return fmt.Errorf("the server says: %s", said.Description)
	}
	return err
}

// List returns what is kept, in the order in which it was begun.
func (a *Archive) List(ctx context.Context) (list []Recording, err error) {
	s, err := a.open(ctx, false)
	if err != nil {
		return nil, err
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(keptSubject(a.owner, "*")))
	if err != nil {
		return nil, a.told(err)
	}
	for subject := range info.State.Subjects {
		r, err := a.describe(ctx, s, part(subject, 3))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue // it is removed meanwhile
		}
		if err != nil {
			return nil, a.told(err)
		}
		list = append(list, r.Recording)
	}
	slices.SortFunc(list, func(x, y Recording) int { return cmp.Or(x.Begun.Compare(y.Begun), cmp.Compare(x.Name, y.Name)) })
	return list, nil
}

// A found recording is described, with the places of its messages in the stream.
type found struct {
	Recording
	first, last *jetstream.RawStreamMsg
}

func (a *Archive) describe(ctx context.Context, s jetstream.Stream, name string) (f found, err error) {
	subject := keptSubject(a.owner, name)
	if f.last, err = s.GetLastMsgForSubject(ctx, subject); err != nil {
		return f, err
	}
	if f.first, err = s.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(subject)); err != nil {
		return f, err
	}
	at, err := placeOf(f.last)
	f.Recording = Recording{name, at + int64(len(f.last.Data)), f.first.Time, f.last.Time}
	return f, err
}

// placeOf returns how many bytes stand before those of a message.
func placeOf(m *jetstream.RawStreamMsg) (int64, error) {
	at, err := strconv.ParseInt(m.Header.Get(atHeader), 10, 64)
	if err != nil || at < 0 {
		return 0, fmt.Errorf("message %d is none of dscope", m.Sequence)
	}
	return at, nil
}

// lacks says that there is no recording of a name.
func (a *Archive) lacks(name string) error {
	return fmt.Errorf("the server keeps no recording %s of %s", name, a.owner)
}

// Read writes to w what is kept of a recording up to now, and returns how many bytes those are.
// Of one that has lost messages it writes what stands before.
func (a *Archive) Read(ctx context.Context, name string, w io.Writer) (n int64, err error) {
	if err := CheckName(name); err != nil {
		return 0, err
	}
	s, err := a.open(ctx, false)
	if err != nil {
		return 0, err
	}
	f, err := a.describe(ctx, s, name)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, a.lacks(name)
	}
	if err != nil {
		return 0, a.told(err)
	}
	for m := f.first; ; {
		at, err := placeOf(m)
		if err != nil {
			return n, err
		}
		if at != n {
			return n, fmt.Errorf("bytes %d to %d are not kept any more", n, at)
		}
		wrote, err := w.Write(m.Data)
		if n += int64(wrote); err != nil || m.Sequence >= f.last.Sequence {
			return n, err
		}
		if m, err = a.next(ctx, s, m); err != nil {
			return n, a.told(err)
		}
	}
}

// next returns the message of a recording that follows m.
func (a *Archive) next(ctx context.Context, s jetstream.Stream, m *jetstream.RawStreamMsg) (*jetstream.RawStreamMsg, error) {
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	return s.GetMsg(ctx, m.Sequence+1, jetstream.WithGetMsgSubject(m.Subject))
}

// Remove removes a recording.
func (a *Archive) Remove(ctx context.Context, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	s, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	subject := keptSubject(a.owner, name)
	switch _, err := s.GetLastMsgForSubject(ctx, subject); {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return a.lacks(name)
	case err != nil:
		return a.told(err)
	}
	return a.told(s.Purge(ctx, jetstream.WithPurgeSubject(subject)))
}

// Create begins a recording, of a name that there is none of.
func (a *Archive) Create(ctx context.Context, name string) (*Kept, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	s, err := a.open(ctx, true)
	if err != nil {
		return nil, err
	}
	switch _, err := s.GetLastMsgForSubject(ctx, keptSubject(a.owner, name)); {
	case err == nil:
		return nil, fmt.Errorf("there is a recording %s of %s already", name, a.owner)
	case !errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, a.told(err)
	}
	k := &Kept{archive: a, stream: s, subject: keptSubject(a.owner, name), over: make(chan struct{})}
	k.changed = sync.NewCond(&k.mu)
	go k.send()
	return k, nil
}

// How a recording crosses over.
const (
	mostWaiting = 64 << 20 // bytes, then who writes waits
	lull        = 200 * time.Millisecond
	again       = time.Second
	farewell    = 30 * time.Second // that the last bytes may take
)

// A Kept recording is being written. What is written waits while the server is away, up to a
// bound; then who writes waits too.
type Kept struct {
	archive *Archive
	stream  jetstream.Stream
	subject string
	over    chan struct{} // closed when all is sent, or nothing more can be

	mu      sync.Mutex
	changed *sync.Cond
	waiting []byte
	closed  bool
	given   time.Time // when it was closed
	err     error
}

// Write takes bytes to be kept. An error is what was wrong with earlier ones.
func (k *Kept) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.waiting) >= mostWaiting && k.err == nil {
		k.changed.Wait()
	}
	if k.err != nil {
		return 0, k.err
	}
	k.waiting = append(k.waiting, b...)
	k.changed.Broadcast()
	return len(b), nil
}

// Close waits until all is kept.
func (k *Kept) Close() error {
	k.mu.Lock()
	if !k.closed {
		k.closed, k.given = true, time.Now()
		k.changed.Broadcast()
	}
	k.mu.Unlock()
	<-k.over
	return k.err
}

// send sends what was written, as much at a time as has come meanwhile.
func (k *Kept) send() {
	defer close(k.over)
	var at int64
	var last uint64 // message of the recording
	for {
		k.mu.Lock()
		for len(k.waiting) == 0 && !k.closed {
			k.changed.Wait()
		}
		n := min(len(k.waiting), maxChunk)
		chunk := slices.Clone(k.waiting[:n])
		k.mu.Unlock()
		if n == 0 {
			return
		}
		seq, err := k.publish(chunk, at, last)
		at, last = at+int64(n), seq
		k.mu.Lock()
		k.waiting = k.waiting[n:]
		k.err = err
		k.changed.Broadcast()
		more := len(k.waiting) > 0 || k.closed
		k.mu.Unlock()
		if err != nil {
			return
		}
		if !more {
			time.Sleep(lull)
		}
	}
}

// publish has bytes kept, which may take several tries, and returns the number of their
// message.
func (k *Kept) publish(chunk []byte, at int64, last uint64) (uint64, error) {
	m := nats.NewMsg(k.subject)
	m.Data = chunk
	m.Header.Set(atHeader, strconv.FormatInt(at, 10))
	for {
		ctx, cancel := context.WithTimeout(context.Background(), answering)
		ack, err := k.archive.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(last))
		cancel()
		var said *jetstream.APIError
		switch {
		case err == nil:
			return ack.Sequence, nil
		case errors.As(err, &said) && (said.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || said.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant):
			return k.there(at, len(chunk))
		case said != nil, errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrPermissionViolation):
			return 0, fmt.Errorf("%w; what came before is kept", k.archive.told(err))
		case k.late():
			return 0, fmt.Errorf("the server does not take the last %d bytes of the recording; what came before is kept", k.left())
		}
		time.Sleep(again)
	}
}

// there looks whether what was sent is there, of which the server's word was lost.
func (k *Kept) there(at int64, n int) (uint64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), answering)
	defer cancel()
	m, err := k.stream.GetLastMsgForSubject(ctx, k.subject)
	if err != nil {
		return 0, k.archive.told(err)
	}
	if was, err := placeOf(m); err != nil || was != at || len(m.Data) != n {
		return 0, errors.New("somebody else writes to a recording of this name, or has removed it")
	}
	return m.Sequence, nil
}

// late reports whether who has closed it has waited long enough.
func (k *Kept) late() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.closed && time.Since(k.given) > farewell
}

func (k *Kept) left() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.waiting)
}
