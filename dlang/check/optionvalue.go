package check

import (
	"errors"
	"fmt"
	"strconv"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/option"
)

// Why an option is refused, in the words of dtrace(1).
const (
	invalidValue = "Invalid value for specified option"
	noVersion    = "Requested version is not supported by compiler"
	noRegisters  = "Insufficient registers to generate code"
)

// reason returns why an option is refused, without what would do.
func reason(err error) string {
	var refused *option.Error
	if errors.As(err, &refused) {
		return refused.Reason
	}
	return err.Error()
}

// badOption says what would do.
func badOption(d *diag.Diagnostic, err error) {
	var refused *option.Error
	if errors.As(err, &refused) && refused.Detail != "" {
		d.Suggest("%s", refused.Detail)
	}
}

// integerRegisters is how many registers the compilers of DTrace have.
const integerRegisters = 8

// ValidOption returns an error unless value is one that the option takes: of its kind,
// and one that this compiler knows.
func ValidOption(o *option.Spec, value string) error {
	if o.Name == "iregs" {
		// The compiler has as many as it needs; scripts may ask for those of DTrace.
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < integerRegisters {
			return &option.Error{Reason: noRegisters}
		} else if n != integerRegisters {
			return &option.Error{Reason: invalidValue, Detail: fmt.Sprintf("there are %d", integerRegisters)}
		}
	}
	err := o.Takes(value)
	switch {
	case err != nil:
	case o.Name == "amin":
		err = validAttributes(value)
	case o.Name == "version":
		err = validVersion(value)
	}
	var refused *option.Error
	if err != nil && !errors.As(err, &refused) {
		return &option.Error{Reason: invalidValue, Detail: err.Error()}
	}
	return err
}

// tupleFits complains about a tuple that is longer than option tregs allows. The
// compiler has no limit of its own.
func (c *checker) tupleFits(ref *ast.AggRef) {
	if c.tregs > 0 && len(ref.Keys) > c.tregs {
		c.errorf(ref, diag.Unsupported, "Insufficient tuple registers to generate code").
			Suggest("the script sets option tregs to %d, and this takes %d", c.tregs, len(ref.Keys))
	}
}
