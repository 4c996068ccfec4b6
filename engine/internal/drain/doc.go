// Package drain reads what the programs of a run leave behind: records into events, the
// aggregations into snapshots, and what was lost into a ledger.
//
// A Drain is handed a Source, which is what a script has in the kernel; Names, which turn
// numbers into what they stand for; and Outlets, the channels of the run. It belongs to one
// goroutine, its owner's, who calls Turn at the pace that Due says, and at the end what
// there is to read before and after END.
//
// Between a buffer and the decoder a record may have to wait: for its turn by time
// (temporal_linux.go), for the end of its speculation (speculate_linux.go), or for the end
// of the run (policy_linux.go). Scripts that want none of this pay nothing for it; what their
// clauses only print is set straight from the buffer (press_linux.go). A reader
// that is late holds up nobody: records wait in the kernel, and what is lost there is
// counted once and told in the stream of events (ledger_linux.go).
package drain
