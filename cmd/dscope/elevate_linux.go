package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"dscope.dev/engine"
	"dscope.dev/engine/helper"
)

// elevate offers to start a helper as root, through sudo or what there is in its place, if
// privileges are all that is missing, and somebody is there to answer. It returns this
// machine by way of it. Otherwise it returns what is missing, for the workbench to show; ""
// if nothing is.
func elevate(e *engine.Engine) (missing string, by *workplace) {
	err := e.Available()
	if err == nil {
		return "", nil
	}
	argv := elevator()
	if !errors.Is(err, engine.ErrPrivileges) || os.Geteuid() == 0 || !isTerminal(os.Stdin) || argv == nil {
		return err.Error(), nil
	}
	if unable := helper.Able(); unable != nil {
		return fmt.Sprintf("%v; %v", err, unable), nil
	}
	fmt.Fprintf(said, "%v.\nHave %s start a helper that traces for you? [Y/n] ", err, argv[0])
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "", "y", "yes":
	default:
		return err.Error(), nil
	}
	m, failed := ownHelper(argv)
	if failed != nil {
		return fmt.Sprintf("%v; %v", err, failed), nil
	}
	return "", m
}
