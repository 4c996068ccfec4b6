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
	"dscope.dev/ui/session"
)

// What the workbench asks beyond what it must; on Linux also ui.Swapper, which a test holds.
var _ ui.Follower = (*engine.Engine)(nil)

// workbench opens the workbench on a script, or on an empty one, and on a process if
// pid is one. What runs is told to monitoring systems as far as m says.
func workbench(path string, pid int, m monitoring) error {
	if !isTerminal(os.Stdin) || !isTerminal(os.Stdout) {
		return errors.New("the workbench needs a terminal; dscope trace runs scripts without one")
	}
	e, err := engine.New()
	if err != nil {
		return err
	}
	defer e.Close()
	o := ui.Options{Path: path, Keep: keeper(here(), e), Export: exporter(here())}
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
	o.Kernel = kernelRelease()
	c, wrong := configured()
	o.Config, o.Wrong = &c, wrong
	notices = append(notices, remember(&o)...)
	defer o.Store.Close()
	words := make(chan string, 16)
	beside, done, err := m.start(func(text string) {
		select {
		case words <- text:
		default: // who says so much says it again
		}
	})
	if err != nil {
		return err
	}
	defer done()
	o.Beside, o.Words = beside, words
	o.Notice = strings.Join(notices, "; ")
	return ui.Run(context.Background(), e, o)
}

// remember finds out where what is remembered lies, and what was open last.
func remember(o *ui.Options) (notices []string) {
	var err error
	if o.State, err = home.State(); err != nil {
		return []string{fmt.Sprintf("nothing is kept, unsaved text neither: %v", err)}
	}
	if o.Store, o.Last, err = session.Open(o.State); err != nil {
		notices = append(notices, err.Error())
	}
	if len(o.Last.Documents) > 0 && o.Last.Documents[0].Gone() {
		notices = append(notices, "what was open last is there no more: "+o.Last.Documents[0].Path)
		o.Last.Documents = nil
	}
	if o.Store.Shared() && o.Path == "" {
		notices = append(notices, "another workbench has the session: this one begins empty and leaves it alone")
	}
	return notices
}
