package engine

import "dscope.dev/engine/internal/options"

// Options are the settings of a run, as #pragma D option, -x and setopt() give
// them. They begin with DefaultOptions.
type Options = options.Options

// An OptionError says why an option cannot be set so.
type OptionError = options.OptionError

// DefaultOptions returns DTrace's defaults.
func DefaultOptions() Options { return options.Default() }
