package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"dscope.dev/dlang/cpp"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/header"
	"dscope.dev/dlang/parser"
	"dscope.dev/probes/usdt"
)

// define is -h, which writes the header by which a program defines the probes of a
// provider, and -G, which writes what such a program is linked with.
func (j *job) define() error {
	if len(j.parts) != 1 || j.parts[0].flag != 's' {
		return usageError{fmt.Errorf("-%c requires one script with -s", j.making)}
	}
	p := j.parts[0]
	name := j.output
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(p.name), ".d") + map[byte]string{'h': ".h", 'G': ".o"}[j.making]
	}
	f := p.file
	if f == nil {
		f = cpp.NewFile(p.name, p.text)
	}
	script, list := parser.Parse(f)
	if list.Failed() {
		return complainOf(&diag.ListError{File: f, List: list}, p, j.opts.On("errtags"))
	}
	text, err := header.Write(f, script)
	if err != nil {
		return err
	}
	if j.making == 'G' {
		if text, err = j.object(); err != nil {
			return err
		}
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		return fmt.Errorf("failed to write %s: %w", name, reason(err))
	}
	return nil
}

// object makes what -G does, after a look at the object files of the program.
func (j *job) object() ([]byte, error) {
	if len(j.args) == 0 {
		return nil, usageError{errors.New("-G requires object files")}
	}
	for _, name := range j.args {
		calls, err := usdt.Calls(name)
		if err != nil {
			return nil, fmt.Errorf("failed to read %s: %w", name, reason(err))
		}
		if len(calls) > 0 {
			return nil, fmt.Errorf("%s calls %s: it was compiled with another sys/sdt.h; compile it with the header that -h writes", name, calls[0])
		}
	}
	return usdt.Object(runtime.GOARCH)
}
