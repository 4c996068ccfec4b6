package options

import (
	"fmt"
	"strings"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/option"
)

// Change applies what setopt() asked for: name=value. The error is in DTrace's
// words.
func (o *Options) Change(assign string) error {
	name, value, _ := strings.Cut(assign, "=")
	spec := option.Find(strings.ToLower(name))
	why := ""
	switch {
	case spec == nil:
		why = "Invalid option name"
	case spec.Time != option.Dynamic:
		why = "Operation illegal when tracing is active"
	case check.ValidOption(spec, value) != nil || o.Set(name, value) != nil:
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
