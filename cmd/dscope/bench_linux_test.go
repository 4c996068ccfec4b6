package main

import (
	"bufio"
	"io"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStartBegin is what a user waits for dscope trace -n 'BEGIN {
// exit(0); }': from exec to the first byte of output, and the memory that the
// process took at its largest.
func BenchmarkStartBegin(b *testing.B) {
	mustTrace(b)
	wholeProcess(b, "trace", "-n", "BEGIN { exit(0); }")
}

// BenchmarkListAll is dscope trace -l of every probe of the machine, to its
// last line.
func BenchmarkListAll(b *testing.B) {
	mustTrace(b)
	wholeProcess(b, "trace", "-l")
}

// wholeProcess runs dscope over and over.
func wholeProcess(b *testing.B, args ...string) {
	var first, whole, used []float64 // ms
	var memory int64                 // KiB
	for b.Loop() {
		cmd := exec.Command("dscope", args...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		from := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		r := bufio.NewReader(out)
		if _, err := r.ReadByte(); err != nil {
			b.Fatal(err)
		}
		first = append(first, time.Since(from).Seconds()*1e3)
		io.Copy(io.Discard, r)
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		whole = append(whole, time.Since(from).Seconds()*1e3)
		used = append(used, (cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds()*1e3)
		memory = max(memory, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	}
	b.ReportMetric(median(first), "first-ms")
	b.ReportMetric(median(whole), "whole-ms")
	b.ReportMetric(slices.Min(whole), "least-ms")
	b.ReportMetric(median(used), "cpu-ms") // which says something on a busy machine too
	b.ReportMetric(float64(memory)/1024, "MB")
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
