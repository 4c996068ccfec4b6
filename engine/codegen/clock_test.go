package codegen

import "golang.org/x/sys/unix"

// monotonic returns what the timestamp of D counts.
func monotonic() uint64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err)
	}
	return uint64(ts.Nano())
}
