// Package nats carries package fleet over a NATS server: agents serve the tracers of their
// hosts, a Client asks them. Fan-out, TLS, who may log in and what each may say are the
// server's; nothing listens on a host.
//
// Every subject names who speaks, so that the permissions of the server keep an agent to its
// own host and a user to its own name, and tell who may ask at all:
//
//	dscope.hail.USER             user to all agents: who is there?
//	dscope.lease.USER            user to all agents: these runs are still wanted
//	dscope.ask.HOST.USER         user to one agent: run, stop, …
//	dscope.here.HOST             agent to all users: its card, every few seconds
//	dscope.data.HOST.USER.CALL   agent to the user who has asked
//	dscope.kept.USER.NAME        user to the server: a piece of a recording to be kept (Archive)
//
// A dot of a name is a ~ in a subject. The permissions that belong to this are in
// server.conf, which the tests log in under.
//
// The data of a run are the frames of engine/wire, in messages that are numbered (message.go).
// What is missing is seen by the number, and counted: each message says how many events went
// before it. Then the agent is asked to begin anew, with a key frame; the server keeps
// nothing of a run for it. An agent is told how far its reader has come, and sends only so much
// beyond; what finds no room then is counted by wire.Queue, and never holds up the run.
//
// A run is leased. When nobody has renewed the lease for Lease it ends and leaves nothing
// there, whether the reader, the server or the network has gone. The agent says so, and says it
// again to whoever asks about a run that it does not have: a reader that was cut off and is back
// asks the host anew, and what it had delivered stays.
//
// # How far it goes
//
// BenchmarkFleet, on two cores that do nothing else, 28 November 2026: agents that send a
// snapshot a second of 1,000 keys that have all changed, and how long a snapshot takes to be in
// the picture.
//
//	agents   half of them     the slowest     reader         server         to the reader
//	10       47 ms            0.25 s          1 %, 26 MB     0.6 %, 19 MB   0.02 MB/s
//	100      121 ms           0.27 s          8 %, 96 MB     4 %, 29 MB     0.17 MB/s
//	1,000    232 to 261 ms    0.65 to 0.84 s  60 %, 855 MB   20 %, 112 MB   1.75 MB/s
//
// What follows is reckoned from that and from BenchmarkMerge, and was not run. A snapshot is
// 1.75 KB on the wire and costs the reader 0.6 ms of CPU, 0.04 to 0.12 ms of it each time that it
// is merged, and 0.85 MB of memory. So of 100,000 hosts
//
//	host to server         1.8 KB/s     each; renewals of leases are 35 B/s to each
//	server                 175 MB/s     in, and as much out to each reader; 20,000 cards/s
//	reader                 175 MB/s     on one connection, 60 CPUs to take it in, 85 GB
//
// The reader breaks first: the CPU that takes snapshots in is full at 1,600 hosts for each
// core, and the picture is a second behind from 4,000 hosts on whose rows change places, as a
// picture takes twice as long as its merging. Then its memory, at 19,000 hosts with 16 GB;
// then the connection, which the server gives up with 64 MB behind (max_pending).
//
// Relays (Relay) of 500 hosts each are 200 readers of 0.9 MB/s, 0.3 CPUs and 0.4 GB. Each
// sends four merged snapshots a second at most, 7 KB/s, so that whoever asks the relays takes in
// 1.4 MB/s, as of 800 hosts. This breaks next where keys are those of one host (@[host], a
// process): the last reader has as many rows as there are, whatever lies between. And one server
// has 100,000 connections then, and hands each of its cards to every relay: with 10,000 hosts a
// server, its relays there (dscope relay --below), it is 8 MB/s of cards. A tree of more than two
// levels is not built: a relay speaks for hosts alone.
package nats

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// How often who says what.
const (
	Beat  = time.Second      // an agent sends of each run so often at least
	Here  = 5 * time.Second  // an agent says that it is there
	Renew = 2 * time.Second  // a reader renews its leases
	Lease = 10 * time.Second // without that a run ends
)

// Of a run no more messages are under way than window; a reader tells how far it has come
// after every step of them. Messages are no longer than a server takes (max_payload, 1 MB).
const (
	window   = 64
	step     = 16
	maxChunk = 512 << 10
)

// CheckName refuses the name of a host or a user that cannot stand in a subject.
func CheckName(name string) error {
	if name == "" {
		return errors.New("a name is missing")
	}
	for _, c := range name {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-", c)) {
			return fmt.Errorf("%q: a name has letters, digits, dots, dashes and underscores alone", name)
		}
	}
	return nil
}

// spelled is a name as a part of a subject.
func spelled(name string) string { return strings.ReplaceAll(name, ".", "~") }

// nameOf is the inverse of spelled.
func nameOf(text string) string { return strings.ReplaceAll(text, "~", ".") }

const prefix = "dscope."

func hailSubject(user string) string  { return prefix + "hail." + spelled(user) }
func leaseSubject(user string) string { return prefix + "lease." + spelled(user) }
func askSubject(host, user string) string {
	return prefix + "ask." + spelled(host) + "." + spelled(user)
}
func hereSubject(host string) string { return prefix + "here." + spelled(host) }
func dataSubject(h, u, call string) string {
	return prefix + "data." + spelled(h) + "." + spelled(u) + "." + call
}

// part returns a part of a subject as a name; 2 is the first that names somebody.
func part(subject string, n int) string {
	parts := strings.Split(subject, ".")
	if n >= len(parts) {
		return ""
	}
	return nameOf(parts[n])
}
