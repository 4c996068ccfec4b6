package check

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/option"
)

// Version is the version of D that dscope speaks, in DTrace's numbers.
const Version = "2.0"

// versions lists those that D has had, in order.
var versions = strings.Fields("1.0 1.1 1.2 1.2.1 1.2.2 1.3 1.4 1.4.1 1.5 1.6 1.6.1 1.6.2 1.6.3 1.6.4 2.0 2.0.1")

// since says with which version of D a name came; "" is 1.0.
func since(name string) string {
	switch name {
	case "ucaller", "ustackdepth":
		return "1.2"
	}
	return cmp.Or(function.Find(name).Since, function.FindAgg(name).Since)
}

// A version is major.minor.micro.
type version [3]int

func parseVersion(s string) (version, error) {
	var v version
	parts := strings.Split(s, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return v, errors.New("a version is two or three numbers with dots between")
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 12)
		if err != nil {
			return v, errors.New("a version is two or three numbers with dots between")
		}
		v[i] = int(n)
	}
	return v, nil
}

func (v version) newer(than version) bool { return slices.Compare(v[:], than[:]) > 0 }

// validVersion is the rule for the value of the option version.
func validVersion(s string) error {
	v, err := parseVersion(s)
	if err != nil {
		return err
	}
	last, _ := parseVersion(versions[len(versions)-1])
	if v.newer(last) {
		return &option.Error{Reason: noVersion, Detail: "dscope speaks D " + Version + ", and what came before it"}
	}
	for _, known := range versions {
		if w, _ := parseVersion(known); w == v {
			return nil
		}
	}
	return fmt.Errorf("there has been no version %s of D", s)
}

// tooNew reports whether name came after the version that the script asks for.
func (c *checker) tooNew(name string) bool {
	if c.version == nil || since(name) == "" {
		return false
	}
	v, _ := parseVersion(since(name))
	return v.newer(*c.version)
}

// newerItem reports whether the library binds name to a version after the one
// that the script asks for.
func (c *checker) newerItem(name string) bool {
	for _, x := range []*lib.Index{c.opts.Libraries, lib.Own()} {
		if c.version == nil || x.Binding(name) == "" {
			continue
		}
		if v, err := parseVersion(x.Binding(name)); err == nil && v.newer(*c.version) {
			return true
		}
	}
	return false
}

// notYet complains about a name that is too new.
func (c *checker) notYet(at ast.Node, code diag.Code, name string) {
	c.errorf(at, code, "D has %s since version %s, and the script asks for an older one", name, since(name)).
		Suggest("drop the option version")
}

func (c *checker) setVersion(value string) {
	if v, err := parseVersion(value); err == nil {
		c.version = &v
	}
}
