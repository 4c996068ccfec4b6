package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dscope.dev/engine/trace"
)

// A statRow is a line of a table: a lock and a caller.
type statRow struct {
	lock, caller string
	stack        []trace.Frame
	count, time  int64 // nanoseconds in all
	buckets      map[string]trace.Bucket
}

// print prints a table for each event that was seen, as lockstat(1M) does.
func (w *lockStat) print(out io.Writer, s trace.Snapshot, elapsed time.Duration) {
	for _, e := range lockEvents {
		rows := w.rows(s, e)
		if len(rows) == 0 {
			continue
		}
		total := int64(0)
		for _, r := range rows {
			total += r.count
		}
		if w.graph {
			total = firings(s, e)
		}
		if !w.parsable {
			seconds := elapsed.Seconds()
			fmt.Fprintf(out, "\n%s: %d events in %.3f seconds (%.0f events/sec)\n\n", e.title, total, seconds, float64(total)/seconds)
		}
		w.printTable(out, e, rows, total, elapsed)
	}
}

// firings counts the events of a kind.
func firings(s trace.Snapshot, e lockEvent) (n int64) {
	for _, r := range tableOf(s, 'e', e).Rows {
		n += r.Value
	}
	return n
}

// tableOf returns the aggregation of an event that begins with letter.
func tableOf(s trace.Snapshot, letter byte, e lockEvent) trace.Table {
	name := fmt.Sprintf("%c%d", letter, e.number)
	if i := slices.IndexFunc(s.Aggs, func(t trace.Table) bool { return t.Name == name }); i >= 0 {
		return s.Aggs[i]
	}
	return trace.Table{}
}

// rows gathers the lines of an event: rows of aggregations that differ in what is not
// printed are one line.
func (w *lockStat) rows(s trace.Snapshot, e lockEvent) []*statRow {
	byName := map[string]*statRow{}
	var list []*statRow
	each := func(letter byte, add func(*statRow, trace.Row)) {
		for _, r := range tableOf(s, letter, e).Rows {
			for _, row := range w.rowsOf(e, r) {
				key := row.lock + "\x00" + row.caller
				if w.depth > 0 && !w.graph {
					key += "\x00" + fmt.Sprint(row.stack)
				}
				if byName[key] == nil {
					byName[key] = row
					list = append(list, row)
				}
				add(byName[key], r)
			}
		}
	}
	each('e', func(row *statRow, r trace.Row) { row.count += r.Value })
	each('t', func(row *statRow, r trace.Row) { row.time += r.Value })
	each('h', func(row *statRow, r trace.Row) { row.spread(r.Buckets) })
	slices.SortStableFunc(list, func(a, b *statRow) int {
		if w.byTime {
			return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(a.lock+a.caller, b.lock+b.caller))
		}
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.lock+a.caller, b.lock+b.caller))
	})
	return list
}

// spread adds buckets.
func (r *statRow) spread(buckets []trace.Bucket) {
	if r.buckets == nil {
		r.buckets = map[string]trace.Bucket{}
	}
	for _, b := range buckets {
		if b.Count != 0 {
			sum := r.buckets[b.Label]
			b.Count += sum.Count
			r.buckets[b.Label] = b
		}
	}
}

// rowsOf returns the lines to which a row of an aggregation adds: one, or with -g one
// for each function of its stack, or none if -f leaves it out.
func (w *lockStat) rowsOf(e lockEvent, r trace.Row) []*statRow {
	row := &statRow{lock: "*", caller: "*"}
	for _, k := range r.Keys {
		switch k.Kind {
		case trace.SymValue:
			row.lock = k.Str
		case trace.StackValue:
			row.stack = callers(k.Frames)
		case trace.IntValue, trace.UintValue:
			if e.kind == 'I' {
				row.lock = fmt.Sprintf("cpu[%d]", k.Int)
			}
		}
	}
	if len(row.stack) == 0 && !w.anyCaller {
		row.caller = "usermode"
		if e.kind != 'I' {
			row.caller = "-"
		}
	}
	if w.function != "" && (len(row.stack) == 0 || row.stack[0].Symbol != w.function) {
		return nil
	}
	if w.anyLock {
		row.lock = "*"
	}
	if w.graph {
		return w.graphed(row)
	}
	if len(row.stack) > 0 && !w.anyCaller {
		row.caller = w.place(row.stack[0])
	}
	row.stack = row.stack[:min(len(row.stack), w.depth)]
	return []*statRow{row}
}

// graphed returns a line for each function of the stack of row, once.
func (w *lockStat) graphed(row *statRow) (list []*statRow) {
	seen := map[string]bool{}
	for _, f := range row.stack {
		if name := w.place(f); !seen[name] {
			seen[name] = true
			list = append(list, &statRow{lock: row.lock, caller: name})
		}
	}
	return list
}

// place names a frame, without its offset if that was asked for.
func (w *lockStat) place(f trace.Frame) string {
	if w.coalesce {
		f.Offset = 0
	}
	if f.Module == "vmlinux" && f.Symbol != "" {
		f.Module = ""
	}
	return f.String()
}

// callers returns a stack without what locks, and the tracing of them, are made of.
func callers(frames []trace.Frame) []trace.Frame {
	for i, f := range frames {
		if !isLockCode(f.Symbol) {
			return frames[i:]
		}
	}
	return nil
}

// lockCode are the beginnings of the names of kernel functions that locks are made
// of, and of those by which a program is called when one of them is traced.
var lockCode = []string{
	"mutex_", "__mutex_", "ww_mutex_", "osq_", "rt_mutex_", "rwsem_", "down_", "__down_", "up_", "__up_", "percpu_", "__percpu_",
	"_raw_", "__raw_", "do_raw_", "queued_", "native_queued_", "__pv_queued_", "pv_queued_", "lock_",
	"__traceiter_", "__bpf_trace_", "__probestub_", "trace_", "bpf_", "__bpf_", "ftrace_", "arch_ftrace_", "fprobe_", "kprobe_",
	"rethook_", "arch_rethook_", "optprobe_",
}

func isLockCode(symbol string) bool {
	return slices.ContainsFunc(lockCode, func(p string) bool { return strings.HasPrefix(symbol, p) })
}

// printTable prints the lines of an event.
func (w *lockStat) printTable(out io.Writer, e lockEvent, rows []*statRow, total int64, elapsed time.Duration) {
	cumulated := int64(0)
	timed := w.times && e.kind != 'I' && e.kind != 'E'
	if !w.spread && !w.parsable {
		w.printHead(out, timed, e)
		fmt.Fprintln(out, lockBar)
	}
	for i, r := range rows {
		if w.most >= 0 && i == w.most {
			break
		}
		cumulated += r.count
		if w.parsable {
			fmt.Fprintf(out, "%d\t%d\t%d\t%s\t%s\n", e.number, r.count, r.time/max(r.count, 1), r.lock, r.caller)
			continue
		}
		if w.spread {
			fmt.Fprintln(out, lockBar)
			w.printHead(out, timed, e)
		}
		w.printRow(out, timed, r, cumulated, total, elapsed)
		if w.spread {
			r.printSpread(out)
		}
	}
	if !w.parsable {
		fmt.Fprintln(out, lockBar)
	}
}

// printHead prints the names of the columns.
func (w *lockStat) printHead(out io.Writer, timed bool, e lockEvent) {
	rate, share, time, lock := "Count", "indv", "", "Lock"
	if w.rates {
		rate = "ops/s"
	}
	if w.graph {
		share = "genr"
	}
	if timed {
		time = "     nsec"
	}
	if e.kind == 'I' {
		lock = "CPU"
	}
	fmt.Fprintf(out, "%5s %s cuml rcnt%s %-22s %-24s\n", rate, share, time, lock, "Caller")
}

func (w *lockStat) printRow(out io.Writer, timed bool, r *statRow, cumulated, total int64, elapsed time.Duration) {
	n := r.count
	if w.rates {
		n = int64(float64(n) / elapsed.Seconds())
	}
	percent := func(n int64) int64 { return n * 100 / max(total, 1) }
	part := percent(cumulated)
	if w.graph {
		part = 0 // functions call one another: there is no sum
	}
	fmt.Fprintf(out, "%5d %3d%% %3d%% %4.2f", n, percent(r.count), part, 0.0)
	if timed {
		fmt.Fprintf(out, " %8d", r.time/max(r.count, 1))
	}
	fmt.Fprintf(out, " %-22s %-24s\n", r.lock, r.caller)
}

// printSpread prints the distribution of the times beside the stack.
func (r *statRow) printSpread(out io.Writer) {
	const width = 30
	if len(r.buckets) == 0 && len(r.stack) == 0 {
		return
	}
	var list []trace.Bucket
	for _, b := range r.buckets {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b trace.Bucket) int { return cmp.Compare(a.Low, b.Low) })
	fmt.Fprintf(out, "\n%10s ------ Time Distribution ------ %-9s %s\n", "nsec", "count", "Stack")
	for i := range max(len(list), len(r.stack)) {
		frame, line := "", strings.Repeat(" ", 53)
		if i < len(list) {
			b := list[i]
			bar := strings.Repeat("@", int(width*b.Count/max(r.count, 1)))
			line = fmt.Sprintf("%10s |%-*s| %-9d", b.Label, width, bar, b.Count)
		}
		if i < len(r.stack) {
			frame = r.stack[i].String()
		}
		fmt.Fprintln(out, strings.TrimRight(line+" "+frame, " "))
	}
}
