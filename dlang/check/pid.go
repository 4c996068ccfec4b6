package check

import (
	"strconv"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
)

// pidProbe says what is wrong with a description of the pid provider, before
// any process is looked at: its name is entry, return or an offset in hexadecimal
// digits, and the function - stands for addresses of the executable.
func (c *checker) pidProbe(at, d *ast.ProbeDesc) bool {
	digits, isPid := strings.CutPrefix(d.Provider, "pid")
	if !isPid {
		return true
	}
	pid, err := strconv.ParseUint(digits, 10, 32)
	_, notHex := strconv.ParseUint(d.Name, 16, 64)
	glob := d.Name == "" || strings.ContainsAny(d.Name, "*?[")
	switch {
	case err != nil:
		return true
	case pid == 0:
		c.errorf(at, diag.ProcPid, "process 0 is the kernel's and cannot be traced").Suggest("name a process: pid$target with -p or -c")
	case d.Function == "-" && (glob || notHex != nil):
		c.errorf(at, diag.ProcName, "the function - takes one address as the name of the probe").Suggest("an address in hexadecimal digits: %s:a.out:-:1f40", d.Provider)
	case d.Function == "-" && d.Module != "" && d.Module != "a.out":
		c.errorf(at, diag.ProcLib, "the function - stands for addresses of the executable, not of %s", d.Module).Suggest("%s:a.out:-:%s", d.Provider, d.Name)
	case !glob && notHex != nil && d.Name != "entry" && d.Name != "return":
		c.errorf(at, diag.ProcName, "the pid provider has no probe called %s", d.Name).Suggest("there are entry, return, and offsets in hexadecimal digits")
	default:
		return true
	}
	return false
}
