package nats

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"dscope.dev/engine/fleet/nats/natstest"
)

func archive(t *testing.T, url, user, owner string) *Archive {
	t.Helper()
	nc, err := Dial(Login{URL: url, Name: user, Inbox: user})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	a, err := NewArchive(nc, user, owner)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// noise returns bytes that nothing can be guessed of.
func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{})
	_, _ = r.Read(b) // it never fails
	return b
}

func write(t *testing.T, a *Archive, name string, b []byte, piece int) {
	t.Helper()
	k, err := a.Create(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	for ; len(b) > 0; b = b[min(piece, len(b)):] {
		if _, err := k.Write(b[:min(piece, len(b))]); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
}

func refuses(t *testing.T, what string, err error, word string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), word) {
		t.Errorf("%s: %v, want %s", what, err, word)
	}
}

// TestArchive keeps recordings under the permissions of the configuration: who has recorded
// them reads, lists and removes them, and nobody else does.
func TestArchive(t *testing.T) {
	url := configured(t)
	alice := archive(t, url("alice"), "alice", "")
	_, err := alice.List(t.Context())
	refuses(t, "list nothing", err, "keeps no recordings of alice")
	big := noise(3 << 20)
	write(t, alice, "incident.42", big, 700_000)
	write(t, alice, "small", []byte("x"), 1)
	list, err := alice.List(t.Context())
	if err != nil || len(list) != 2 || list[0].Name != "incident.42" || list[0].Size != 3<<20 || list[1].Size != 1 || list[0].Last.Before(list[0].Begun) {
		t.Errorf("%+v, %v", list, err)
	}
	var got bytes.Buffer
	if n, err := alice.Read(t.Context(), "incident.42", &got); err != nil || n != 3<<20 || !bytes.Equal(got.Bytes(), big) {
		t.Errorf("%d bytes, %v", n, err)
	}
	_, err = alice.Create(t.Context(), "small")
	refuses(t, "the same name", err, "already")
	_, err = alice.Create(t.Context(), "a/b")
	refuses(t, "no name", err, "a name has letters")
	_, err = alice.Read(t.Context(), "other", &got)
	refuses(t, "read what there is not", err, "keeps no recording other of alice")
	bob := archive(t, url("bob"), "bob", "alice")
	_, err = bob.Read(t.Context(), "small", &got)
	refuses(t, "read another's", err, "does not let bob")
	if err := alice.Remove(t.Context(), "incident.42"); err != nil {
		t.Error(err)
	}
	refuses(t, "remove twice", alice.Remove(t.Context(), "incident.42"), "keeps no recording")
	if list, err := alice.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestArchiveIsNot says that a server keeps nothing.
func TestArchiveIsNot(t *testing.T) {
	_, url := natstest.Token(t)
	_, err := archive(t, url, "alice", "").Create(t.Context(), "x")
	refuses(t, "no JetStream", err, "keeps nothing")
}

// TestArchiveOutage has the server go away while a recording is written: nothing is lost, and
// nothing is there twice.
func TestArchiveOutage(t *testing.T) {
	url, again := natstest.Keeping(t)
	a := archive(t, url, "alice", "")
	k, err := a.Create(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	all := noise(8 << 20)
	rest := all
	piece := func() {
		n := min(len(rest), 256<<10)
		if _, err := k.Write(rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	for range 10 {
		piece()
	}
	again(time.Second)
	for len(rest) > 0 {
		piece()
	}
	again(0)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if n, err := a.Read(t.Context(), "x", &got); err != nil || !bytes.Equal(got.Bytes(), all) {
		t.Errorf("%d of %d bytes, %v", n, len(all), err)
	}
}

// TestArchiveTwo has another write to the same recording, and remove it: who wrote first is told.
func TestArchiveTwo(t *testing.T) {
	url, _ := natstest.Keeping(t)
	a := archive(t, url, "alice", "")
	k, err := a.Create(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.js.Publish(t.Context(), k.subject, []byte("mine")); err != nil {
		t.Fatal(err)
	}
	_, _ = k.Write([]byte("ours"))
	refuses(t, "two writers", k.Close(), "somebody else writes")
	_, err = k.Write([]byte("more"))
	refuses(t, "more", err, "somebody else writes")
	_, err = a.Read(t.Context(), "x", &bytes.Buffer{})
	refuses(t, "no recording", err, "none of dscope")
}

// TestArchiveLacks reads a recording in whose middle something is gone: what stands before it.
func TestArchiveLacks(t *testing.T) {
	url, _ := natstest.Keeping(t)
	a := archive(t, url, "alice", "")
	write(t, a, "x", noise(4*maxChunk), 4*maxChunk)
	s, err := a.js.Stream(t.Context(), stream("alice"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteMsg(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	n, err := a.Read(t.Context(), "x", &got)
	refuses(t, "a gap", err, "are not kept any more")
	if n != 2*maxChunk || got.Len() != 2*maxChunk {
		t.Errorf("%d bytes", n)
	}
}

// TestArchiveFull has the server run out of room: that is said, and what came before is kept.
func TestArchiveFull(t *testing.T) {
	url, _ := natstest.Keeping(t)
	a := archive(t, url, "alice", "")
	if _, err := a.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: stream("alice"), Subjects: []string{keptSubject("alice", "*")},
		MaxBytes: 3 * maxChunk, Discard: jetstream.DiscardNew, AllowDirect: true}); err != nil {
		t.Fatal(err)
	}
	k, err := a.Create(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = k.Write(noise(4 * maxChunk))
	refuses(t, "full", k.Close(), "maximum bytes exceeded; what came before is kept")
	var got bytes.Buffer
	if n, err := a.Read(t.Context(), "x", &got); err != nil || n != 2*maxChunk {
		t.Errorf("%d bytes, %v", n, err)
	}
}
