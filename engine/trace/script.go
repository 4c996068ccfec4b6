package trace

// A Script is what a tracer is asked to look at or to run: a text, and what a command
// line would add to it.
type Script struct {
	Text    string
	Target  int      // the process that $target is; 0 if there is none
	Args    []string // $1, $2, …
	Options []string // as -x has them: name or name=value
	Prints  bool     // whether who reads the run takes events of kind PrintsEvent

	// Foreseen is what the script was found to take, if somebody has been asked and wants it
	// to run all the same: then it is not estimated again.
	Foreseen Estimate
}
