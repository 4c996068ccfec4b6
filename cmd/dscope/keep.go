package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
	"dscope.dev/ui"
)

// keeper returns what writes a run of the workbench as a recording in the folder that it
// was started in. h says where the run was, and machine what can be probed there.
func keeper(h replay.Header, machine described) ui.Keep {
	return func(ctx context.Context, script string, p trace.Past) (string, error) {
		name := "dscope"
		if script != "" {
			name = strings.TrimSuffix(filepath.Base(script), ".d")
		}
		file := name + "-" + time.Now().Format("20060102-150405") + ".dscope"
		out, err := newRecording(file)
		if err != nil {
			return "", err
		}
		defer out.discard()
		w, err := replay.NewWriter(out.f, h)
		if err != nil {
			return "", err
		}
		err = errors.Join(recordMachine(ctx, machine, w), w.Keep(ctx, p), w.Close(), out.f.Sync())
		if err == nil {
			err = out.keep()
		}
		if err != nil {
			return "", fmt.Errorf("record to %s: %w", file, err)
		}
		return file, nil
	}
}

// here is the header of what this machine has recorded.
func here() replay.Header {
	return replay.Header{Made: time.Now().UTC().Truncate(time.Second), Kernel: kernelRelease(), Machine: runtime.GOARCH}
}
