package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dscope.dev/engine/trace"
)

// A lockRow is a lock and the place that it was used from.
type lockRow struct {
	lock    string
	stack   []trace.Frame
	count   int64
	mean    int64 // nanoseconds
	buckets []trace.Bucket
}

// newLockRow reads a row of an aggregation by lock and stack.
func newLockRow(r trace.Row) lockRow {
	l := lockRow{count: int64(r.Count), mean: r.Value}
	for _, k := range r.Keys {
		switch k.Kind {
		case trace.SymValue:
			l.lock = k.Str
		case trace.UstackValue:
			l.stack = k.Frames
		}
	}
	if len(r.Buckets) > 0 {
		l.count, l.mean = 0, 0
		for _, b := range r.Buckets {
			if b.Count > 0 {
				l.buckets = append(l.buckets, b)
			}
			l.count += b.Count
			l.mean += b.Count * b.Low
		}
		l.mean /= max(l.count, 1)
	}
	return l
}

// caller returns the first function that is no lock function of the C library.
func (l lockRow) caller() string {
	for _, f := range l.stack {
		if !isLockFunction(f) {
			return f.String()
		}
	}
	if len(l.stack) > 0 {
		return l.stack[0].String()
	}
	return ""
}

// lockFunctions begin the names of functions that a program linked without libraries holds itself.
var lockFunctions = []string{"pthread_mutex_", "pthread_rwlock_", "pthread_cond_"}

// isLockFunction reports whether a frame belongs to what locks are made of.
func isLockFunction(f trace.Frame) bool {
	name := strings.TrimLeft(f.Symbol, "_")
	if slices.ContainsFunc(lockFunctions, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
		return true
	}
	if !strings.HasPrefix(f.Module, "libc.so") && !strings.HasPrefix(f.Module, "libpthread") {
		return false
	}
	return f.Symbol == "" || strings.Contains(f.Symbol, "mutex") || strings.Contains(f.Symbol, "rwlock")
}

// print prints the tables that are not empty, as plockstat(1M) does.
func (w *lockWatch) print(out io.Writer, s trace.Snapshot) {
	for _, table := range lockTables {
		i := slices.IndexFunc(s.Aggs, func(t trace.Table) bool { return t.Name == table.agg })
		if i < 0 || len(s.Aggs[i].Rows) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%s\n\n", table.title)
		rows := w.rows(s.Aggs[i])
		if w.depth == 0 {
			printLockTable(out, rows)
			continue
		}
		for _, r := range rows {
			r.printHistogram(out)
		}
	}
}

var lockBar = strings.Repeat("-", 79)

func lockLegend(out io.Writer) {
	fmt.Fprintf(out, "%5s %8s %-28s %s\n", "Count", "nsec", "Lock", "Caller")
}

func (l lockRow) printLine(out io.Writer) {
	fmt.Fprintf(out, "%5d %8d %-28s %s\n", l.count, l.mean, l.lock, l.caller())
}

func printLockTable(out io.Writer, rows []lockRow) {
	lockLegend(out)
	fmt.Fprintln(out, lockBar)
	for _, r := range rows {
		r.printLine(out)
	}
}

// printHistogram prints a lock with the distribution of its times beside the stack.
func (l lockRow) printHistogram(out io.Writer) {
	const width = 24
	fmt.Fprintln(out, lockBar)
	lockLegend(out)
	l.printLine(out)
	fmt.Fprintf(out, "\n%10s ---- Time Distribution --- %5s %s\n", "nsec", "count", "Stack")
	for i := range max(len(l.buckets), len(l.stack)) {
		frame := ""
		if i < len(l.stack) {
			frame = l.stack[i].String()
		}
		if i >= len(l.buckets) {
			fmt.Fprintf(out, "%43s %s\n", "", frame)
			continue
		}
		b := l.buckets[i]
		bar := strings.Repeat("@", int(width*b.Count/max(l.count, 1)))
		fmt.Fprintf(out, "%10s |%-24s| %5d %s\n", b.Label, bar, b.Count, frame)
	}
}
