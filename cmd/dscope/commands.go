package main

import (
	"dscope.dev/cmd/dscope/usage"
)

// commandTable holds all that the first word of a command line can ask for, in the order in which
// they are listed. Dispatch, dscope help, the manual pages and the completion of shells read
// this table; a new command is one more row, whose texts lie beside its code.
func commandTable() []usage.Command {
	return []usage.Command{
		askCommand(),
		traceCommand(),
		probesCommand(),
		containersCommand(),
		recordCommand(),
		replayCommand(),
		keptCommand(),
		exportCommand(),
		lockstatCommand(),
		plockstatCommand(),
		checkCommand(),
		fmtCommand(),
		lspCommand(),
		configCommand(),
		doctorCommand(),
		serveCommand(),
		helperCommand(),
		agentCommand(),
		relayCommand(),
		helpCommand(),
		manCommand(),
		completionCommand(),
		versionCommand(),
	}
}

// commandNamed returns the command of a name; --help and the like are spellings of some.
func commandNamed(name string) (usage.Command, bool) {
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "--version":
		name = "version"
	}
	return usage.Find(commandTable(), name)
}
