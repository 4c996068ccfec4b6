package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
)

// A Result is what came of one test in a machine.
type Result struct {
	Name    string
	Outcome string // pass, skip, fail; "" if the machine or the test binary died first
	Output  string
	Seconds float64

	said strings.Builder // becomes Output: a test may print 100,000 lines
}

// Results reads what a test binary printed under -test.v=test2json. Of tests
// that have subtests only those count, unless the test failed by itself. How long a test
// took is told only with -t.
func Results(printed []byte) ([]*Result, error) {
	cmd := exec.Command("go", "tool", "test2json", "-t")
	cmd.Stdin = bytes.NewReader(printed)
	events, err := output(cmd)
	if err != nil {
		return nil, err
	}
	var list []*Result
	byName := map[string]*Result{}
	parents := map[string]bool{}
	dec := json.NewDecoder(strings.NewReader(events))
	for dec.More() {
		var e struct {
			Action, Test, Output string
			Elapsed              float64
		}
		if err := dec.Decode(&e); err != nil {
			return nil, fmt.Errorf("test2json: %w", err)
		}
		r := byName[e.Test]
		if r == nil {
			r = &Result{Name: e.Test}
			byName[e.Test] = r
			list = append(list, r)
			if i := strings.LastIndexByte(e.Test, '/'); i >= 0 {
				parents[e.Test[:i]] = true
			}
		}
		switch e.Action {
		case "output":
			r.said.WriteString(e.Output)
		case "pass", "skip", "fail":
			r.Outcome, r.Seconds = e.Action, e.Elapsed
		}
	}
	for _, r := range list {
		r.Output = r.said.String()
	}
	return leaves(list, parents), nil
}

// leaves leaves out the tests that only group others, and the binary itself
// unless it failed outside all tests.
func leaves(list []*Result, parents map[string]bool) []*Result {
	failed := false
	for _, r := range list {
		failed = failed || r.Name != "" && r.Outcome != "pass" && r.Outcome != "skip"
	}
	var kept []*Result
	for _, r := range list {
		switch {
		case r.Name == "" && (failed || r.Outcome == "pass" || r.Outcome == "skip"):
		case parents[r.Name] && r.Outcome != "" && (r.Outcome != "fail" || failedBelow(list, r.Name)):
		default:
			if r.Name == "" {
				r.Name = "binary"
			}
			kept = append(kept, r)
		}
	}
	return kept
}

func failedBelow(list []*Result, name string) bool {
	for _, r := range list {
		if strings.HasPrefix(r.Name, name+"/") && r.Outcome == "fail" {
			return true
		}
	}
	return false
}
