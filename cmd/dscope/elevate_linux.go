package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"dscope.dev/engine"
)

// keepEnv is what the workbench needs of the environment beyond what sudo
// keeps: how to draw, and whose folders to use.
const keepEnv = "TERM,COLORTERM,COLORFGBG,TMUX,NO_COLOR,LANG,LC_ALL,XDG_CONFIG_HOME,XDG_STATE_HOME,XDG_DATA_HOME"

// elevate offers to start again through sudo if privileges are all that is
// missing, and somebody is there to answer. If that is accepted and succeeds it
// does not return. Otherwise it returns what is missing, for the workbench to
// show; "" if nothing is.
func elevate(e *engine.Engine) (missing string) {
	err := e.Available()
	if err == nil {
		return ""
	}
	if !errors.Is(err, engine.ErrPrivileges) || os.Geteuid() == 0 || !isTerminal(os.Stdin) {
		return err.Error()
	}
	sudo, lookErr := exec.LookPath("sudo")
	if lookErr != nil {
		return err.Error()
	}
	fmt.Fprintf(said, "%v.\nStart again through sudo? [Y/n] ", err)
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "", "y", "yes":
	default:
		return err.Error()
	}
	self, lookErr := os.Executable()
	if lookErr != nil {
		return err.Error()
	}
	args := append([]string{"sudo", "--preserve-env=" + keepEnv, "--", self}, os.Args[1:]...)
	if execErr := syscall.Exec(sudo, args, os.Environ()); execErr != nil {
		return fmt.Sprintf("%v; sudo: %v", err, execErr)
	}
	return ""
}
