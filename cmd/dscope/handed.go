package main

import (
	"encoding/json"
	"os"
	"syscall"

	"dscope.dev/engine"
	"dscope.dev/engine/helper"
)

// commandsThere are those that another machine is asked for as a whole.
var commandsThere = []string{"trace", "probes", "containers", "ask", "doctor"}

// A command that serve starts for another machine finds in handedEnv that it has been, and
// behind handedInput what its arguments name there. What it would write to the file of -o it
// writes to handedOutput.
const (
	handedEnv    = "DSCOPE_HANDED"
	handedInput  = 3
	handedOutput = 4
	handedFile   = "/dev/fd/4"
)

// handed is what a command has been handed.
type handed struct {
	Files    map[string][]byte // by the names that its arguments have for them
	Terminal bool              // what it prints goes to a terminal there
	Helped   *helper.Handed    // what the helper tells; nil if another machine asks
}

// handedOver is set if this command has been started for another machine; nil if not. What
// it starts itself has not.
var handedOver = func() *handed {
	if os.Getenv(handedEnv) == "" {
		return nil
	}
	os.Unsetenv(handedEnv)
	f := os.NewFile(handedInput, "handed")
	if f == nil {
		return nil
	}
	defer f.Close()
	syscall.CloseOnExec(handedOutput)
	var h handed
	if json.NewDecoder(f).Decode(&h) != nil {
		return nil
	}
	return &h
}()

// newEngine returns the engine of this machine: root's, or that of an asker of the helper.
func newEngine() (*engine.Engine, error) {
	if handedOver != nil && handedOver.Helped != nil {
		return confined(handedOver.Helped)
	}
	return engine.Open()
}
