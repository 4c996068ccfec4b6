package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"runtime"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine/doctor"
)

var doctorFlags = []usage.Flag{
	{Name: "-v", Help: "tell more: numbers of probes, sysctls, events that are not counted"},
}

func doctorCommand() usage.Command {
	return usage.Command{
		Name: "doctor", Brief: "what this kernel and these privileges allow, with a remedy for each no", Forms: []string{"[-v]"},
		About: "Tries what this kernel, its configuration and these privileges allow: privileges, what the kernel tells of " +
			"itself, each kind of hook, each provider. What is not there comes with the reason and a remedy. Nothing is left " +
			"in the kernel.",
		Flags: doctorFlags,
		After: "Exit status 0 says that programs can be loaded and that every provider is there, 1 that something of this is " +
			"not, 2 that the command line made no sense.",
		Run: doctorMain, Topics: []string{"kernels", "users"},
	}
}

// doctorMain is dscope doctor.
func doctorMain(args []string) error {
	flags, rest, err := getopt(args, usage.Spec(doctorFlags))
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%s makes no sense here", rest[0])
	}
	if err != nil {
		return usageError{err}
	}
	if runtime.GOOS != "linux" {
		fmt.Fprintf(said, "this is %s: only Linux can be traced\n\nHere dscope edits and checks scripts, lays them out and replays recordings.\n"+
			"To see what a Linux machine allows, run dscope doctor there.\n", runtime.GOOS)
		return errReported
	}
	may, none := askRights()
	if may != nil && !may.None() {
		if done, err := byHelper("doctor", args, nil); done {
			return err
		}
	}
	e, err := newEngine()
	if err != nil {
		return err
	}
	defer e.Close()
	r := doctor.Examine(context.Background(), e)
	switch {
	case e.Rights() != nil:
		r.Rights(e.Rights())
	case may != nil:
		r.Rights(may)
	case none != nil:
		r.NoHelper(none.Error())
	}
	out := bufio.NewWriter(said)
	if err := errors.Join(r.Print(out, len(flags) > 0), out.Flush()); err != nil {
		return err
	}
	if !r.Healthy() {
		return errReported
	}
	return nil
}
