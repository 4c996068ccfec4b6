package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine/remote"
)

func serveCommand() usage.Command {
	return usage.Command{
		Name: "serve", Brief: "be the dscope that another one reaches by -H", Forms: []string{""},
		About: "Is what dscope -H starts on the other machine. It speaks with that dscope over its standard input and " +
			"output, and with nobody else; when they are closed it ends all that it traces.",
		After: "There is no need to call it.",
		Run:   serveMain, Topics: []string{"machines"},
	}
}

// serveMain serves this machine's engine on standard input and output.
func serveMain(args []string) error {
	if len(args) > 0 {
		return usageError{errors.New("serve takes no words")}
	}
	if isTerminal(os.Stdin) || isTerminal(os.Stdout) {
		return errors.New("nobody who types is understood here: dscope -H user@host calls this, over ssh")
	}
	conn, err := standardStream()
	if err != nil {
		return err
	}
	e, err := newEngine()
	if err != nil {
		return err
	}
	defer e.Close()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	defer stop()
	s := &remote.Server{Backend: served{e}, Greeting: greeting(), Execute: execute}
	if e.Rights() != nil {
		s.Execute = nil // the helper takes command lines itself
	}
	return s.Serve(ctx, conn)
}
