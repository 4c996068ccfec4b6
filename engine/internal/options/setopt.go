package options

import (
	"fmt"
	"strings"

	"dscope.dev/dlang/check"
)

// Change applies what setopt() asked for: name=value. The error is in DTrace's
// words.
func (o *Options) Change(assign string) error {
	name, value, _ := strings.Cut(assign, "=")
	spec, known := check.LookupOption(strings.ToLower(name))
	why := ""
	switch {
	case !known:
		why = "Invalid option name"
	case spec.Time != check.Dynamic:
		why = "Operation illegal when tracing is active"
	case spec.Valid(value) != nil || o.Set(name, value) != nil:
		why = "Invalid value for specified option"
	}
	if why == "" {
		return nil
	}
	if value == "" {
		value = "1" // what an option is set to that is only named
	}
	return fmt.Errorf("couldn't set option \"%s\" to \"%s\": %s", name, value, why)
}
