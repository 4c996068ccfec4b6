package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"dscope.dev/engine"
	"dscope.dev/ui"
	"dscope.dev/ui/editor/disk"
)

// workbench opens the workbench on a script, or on an empty one.
func workbench(path string) error {
	if !isTerminal(os.Stdin) || !isTerminal(os.Stdout) {
		return errors.New("the workbench needs a terminal; dscope trace runs scripts without one")
	}
	e, err := engine.New()
	if err != nil {
		return err
	}
	defer e.Close()
	o := ui.Options{Path: path}
	if missing := elevate(e); missing != "" {
		o.Notice = fmt.Sprintf("editing and checking only: %s", missing)
	}
	if o.State, err = disk.StateDir(); err != nil {
		o.Notice = fmt.Sprintf("unsaved text is not kept: %v", err)
	}
	return ui.Run(context.Background(), e, o)
}
