package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"dscope.dev/engine"
	"dscope.dev/ui"
	"dscope.dev/ui/home"
)

// What the workbench asks beyond what it must; on Linux also ui.Swapper, which a test holds.
var _ ui.Follower = (*engine.Engine)(nil)

// workbench opens the workbench on a script, or on an empty one, and on a process if
// pid is one.
func workbench(path string, pid int) error {
	if !isTerminal(os.Stdin) || !isTerminal(os.Stdout) {
		return errors.New("the workbench needs a terminal; dscope trace runs scripts without one")
	}
	e, err := engine.New()
	if err != nil {
		return err
	}
	defer e.Close()
	o := ui.Options{Path: path, Keep: keeper(here(), e)}
	missing := elevate(e) // first: whose process it is matters no more afterwards
	if pid != 0 {
		info, err := e.Process(context.Background(), pid)
		if err != nil {
			return err
		}
		o.Process = info.Process
	}
	var notices []string
	if missing != "" {
		notices = append(notices, "editing and checking only: "+missing)
	}
	if o.State, err = home.State(); err != nil {
		notices = append(notices, fmt.Sprintf("unsaved text is not kept: %v", err))
	}
	o.Notice = strings.Join(notices, "; ")
	return ui.Run(context.Background(), e, o)
}
