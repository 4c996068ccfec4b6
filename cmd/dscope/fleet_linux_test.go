package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dscope.dev/engine/fleet/nats"
	"dscope.dev/engine/fleet/nats/natstest"
	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
)

// A testFleet is a NATS server to which agents of this machine log in.
type testFleet struct{ url string }

func newFleet(t *testing.T) *testFleet {
	t.Helper()
	mustTrace(t)
	_, url := natstest.Token(t)
	return &testFleet{url}
}

// agent starts one, which serves when this returns.
func (f *testFleet) agent(t *testing.T, name string, more ...string) *os.Process {
	t.Helper()
	cmd := exec.Command("dscope", append([]string{"agent", "--nats", f.url, "--name", name}, more...)...)
	var told lockedBuffer
	cmd.Stderr = &told
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(patience):
			t.Errorf("%s does not end; it says\n%s", name, told.String())
			cmd.Process.Kill()
		}
		if t.Failed() {
			t.Logf("%s says:\n%s", name, told.String())
		}
	})
	within(t, name+" to serve", patience, func() bool { return strings.Contains(told.String(), name+" serves ") })
	return cmd.Process
}

// trace runs dscope trace on all of the fleet. During is called as it runs; it may be nil.
func (f *testFleet) trace(t *testing.T, during func(*exec.Cmd, *lockedBuffer), args ...string) (out, told string, code int) {
	t.Helper()
	cmd := exec.Command("dscope", append([]string{"trace", "--fleet", "*", "--nats", f.url}, args...)...)
	var o, e lockedBuffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(4*patience, func() { cmd.Process.Kill() })
	defer late.Stop()
	if during != nil {
		during(cmd, &o)
	}
	cmd.Wait()
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// TestFleetTrace runs scripts on two agents of this kernel.
func TestFleetTrace(t *testing.T) {
	f := newFleet(t)
	f.agent(t, "web-1", "--label", "role=web", "--destructive")
	two := f.agent(t, "web-2")

	t.Run("merged", func(t *testing.T) {
		out, told, code := f.trace(t, nil, "-n", `tick-10ms { @n[host] = count(); @all["all"] = count(); @q["q"] = quantize(1); } tick-1s { exit(0) }`)
		if code != 0 {
			t.Fatalf("exit %d\n%s%s", code, out, told)
		}
		one, two, all := counted(t, out, `web-1 +(\d+)\n`), counted(t, out, `web-2 +(\d+)\n`), counted(t, out, `all +(\d+)\n`)
		if one+two != all || one == 0 || two == 0 || counted(t, out, `1 \|@+ (\d+)`) != all {
			t.Errorf("%d and %d are not %d:\n%s", one, two, all, out)
		}
		if !strings.Contains(told, "2 of 2 hosts delivered all that they had; times of different hosts agree within ") {
			t.Errorf("told:\n%s", told)
		}
	})
	t.Run("host in front", func(t *testing.T) {
		out, told, code := f.trace(t, nil, "-q", "-x", "hostkey", "-n", `BEGIN { @n["k"] = count(); printf("%s begins\n", host); exit(3); }`)
		if code != 3 || !regexp.MustCompile(`web-1 +k +1\n +web-2 +k +1\n`).MatchString(out) || !strings.Contains(out, "web-1        web-1 begins\n") {
			t.Errorf("exit %d\n%s%s", code, out, told)
		}
	})
	t.Run("refused by one", func(t *testing.T) {
		out, told, code := f.trace(t, nil, "-q", "-w", "-n", `BEGIN { system("true"); printf("done\n"); exit(0); }`)
		if code != 0 || out != "web-1        done\n\n" || !strings.Contains(told, "dtrace: web-2 refused: destructive actions are not allowed on this host") {
			t.Errorf("exit %d\n%s\n%s", code, out, told)
		}
	})
	t.Run("refused by all", func(t *testing.T) {
		out, told, code := f.trace(t, nil, "-n", `nosuch:::probe { @ = count(); }`)
		if code != 1 || out != "" || !strings.Contains(told, "dtrace: web-1, web-2: failed to compile script: ") || strings.Count(told, "nosuch:::probe { @") != 1 {
			t.Errorf("exit %d\n%s\n%s", code, out, told)
		}
	})
	t.Run("checked", func(t *testing.T) {
		c := fleetChoice{login: login{Login: nats.Login{URL: f.url}}, hosts: "web-*"}
		tracer, done, err := c.open(func(text string) { t.Log(text) })
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		if hosts := tracer.Hosts(t.Context()); len(hosts) != 2 || hosts[0].Name != "web-1" || hosts[0].Labels["role"] != "web" || hosts[1].Kernel != kernelRelease() {
			t.Errorf("hosts are %+v", hosts)
		}
		if list := tracer.Check(t.Context(), trace.Script{Text: "#pragma D option hostkey\nBEGIN { @[host] = count(); }"}); list.Failed() {
			t.Errorf("what is right is complained about: %v", list)
		}
		if list := tracer.Check(t.Context(), trace.Script{Text: "BEGIN { trace(nosuch); }"}); !list.Failed() || !strings.Contains(list[0].Msg, "nosuch") {
			t.Errorf("what is wrong is not complained about: %v", list)
		}
		if list, _, err := tracer.Probes(t.Context(), "syscall::read:entry"); err != nil || len(list) != 1 {
			t.Errorf("probes: %v, %v", list, err)
		}
	})
	t.Run("probes", func(t *testing.T) {
		out, err := exec.Command("dscope", "probes", "--fleet", "*", "--nats", f.url, "syscall::read:*").Output()
		if err != nil || !strings.HasPrefix(string(out), "syscall:vmlinux:read:entry (") || strings.Contains(string(out), "# on Linux") { // they are one kernel
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("recorded", func(t *testing.T) {
		dir := t.TempDir()
		file, script := dir+"/run.dscope", dir+"/script.d"
		if err := os.WriteFile(script, []byte(`tick-10ms { @n[host] = count(); } tick-1s { exit(0); }`), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("dscope", "record", "--fleet", "*", "--nats", f.url, file, script).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		p, err := replay.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		p.Speed = math.Inf(1)
		run, err := p.Run(t.Context(), trace.Script{Text: p.Scripts()[0]})
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		go func() {
			for range run.Events() {
			}
		}()
		var last trace.Status
		go func() {
			for range run.Snapshots() {
			}
		}()
		for s := range run.Status() {
			last = s
		}
		if len(last.Hosts) != 2 || last.Hosts[0].Name != "web-1" || last.Hosts[1].State != trace.Done || last.Hosts[1].Keys != 1 || last.Hosts[1].Probes != 2 {
			t.Errorf("the recording ends with %+v", last.Hosts)
		}
	})
	t.Run("relayed", func(t *testing.T) {
		cmd := exec.Command("dscope", "relay", "--fleet", "*", "--name", "all", "--nats", f.url)
		var says lockedBuffer
		cmd.Stderr = &says
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait()
		defer cmd.Process.Signal(syscall.SIGTERM)
		within(t, "the relay to serve", patience, func() bool { return strings.Contains(says.String(), "all speaks for * ") })
		relayed := exec.Command("dscope", "trace", "--fleet", "relay=*", "--nats", f.url, "-n", `tick-10ms { @n[host] = count(); @all["all"] = count(); } tick-1s { exit(0) }`)
		var o, told lockedBuffer
		relayed.Stdout, relayed.Stderr = &o, &told
		if err := relayed.Run(); err != nil {
			t.Fatalf("%v\n%s%s", err, told.String(), says.String())
		}
		if out := o.String(); counted(t, out, `web-1 +(\d+)\n`)+counted(t, out, `web-2 +(\d+)\n`) != counted(t, out, `all +(\d+)\n`) {
			t.Errorf("they are not the sum:\n%s", out)
		}
		if !strings.Contains(told.String(), "1 of 1 host delivered all that they had") {
			t.Errorf("told:\n%s", told.String())
		}
	})
	t.Run("killed", func(t *testing.T) {
		out, told, code := f.trace(t, func(cmd *exec.Cmd, out *lockedBuffer) {
			within(t, "both hosts to be heard", patience, func() bool {
				return strings.Contains(out.String(), "web-1 ticks") && strings.Count(out.String(), "web-2 ticks") > 5
			}) // and with so many ticks what had been counted at the first of them
			two.Kill()
			had := len(out.String())
			within(t, "the other one to go on", patience, func() bool { return strings.Count(out.String()[had:], "web-1 ticks") > 5 })
			cmd.Process.Signal(syscall.SIGINT)
		}, "-q", "-x", "aggrate=100ms", "-n", `tick-500ms { @n[host] = count(); printf("%s ticks\n", host); }`)
		if code != 0 || counted(t, out, `web-1 +(\d+)\n`) < 5 || counted(t, out, `web-2 +(\d+)\n`) == 0 ||
			!strings.Contains(told, "web-2        died: ") || !strings.Contains(told, "1 of 2 hosts delivered all that they had") {
			t.Errorf("exit %d\n%s\n%s", code, out, told)
		}
		t.Logf("\n%s", told)
	})
}

// counted finds a number in what was printed.
func counted(t *testing.T, out, pattern string) int {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("nothing reads %s in\n%s", pattern, out)
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestKept has a server keep what is recorded, while who records is killed: what came before is
// there, is listed and exported, and is removed.
func TestKept(t *testing.T) {
	mustTrace(t)
	url, _ := natstest.Keeping(t)
	t.Setenv("DSCOPE_NATS", url)
	script := t.TempDir() + "/script.d"
	if err := os.WriteFile(script, []byte(`tick-10ms { @n["some"] = count(); }`), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(fails bool, args ...string) string {
		t.Helper()
		out, err := exec.Command("dscope", args...).CombinedOutput()
		if (err != nil) != fails {
			t.Fatalf("dscope %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	cmd := exec.Command("dscope", "record", "nats:killed", script)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	some := regexp.MustCompile(`count,some,,,\d+`)
	within(t, "some of it to be kept", patience, func() bool {
		out, _ := exec.Command("dscope", "export", "-f", "csv", "nats:killed").Output()
		return some.Match(out)
	})
	cmd.Process.Kill()
	cmd.Wait()
	if out := ask(false, "kept"); !regexp.MustCompile(`(?m)^killed +[\d.]+kB +\d{4}-`).MatchString(out) {
		t.Errorf("what is kept is\n%s", out)
	}
	if out := ask(false, "export", "-f", "csv", "nats:killed"); !some.MatchString(out) || !strings.Contains(out, "breaks off") {
		t.Errorf("what it has is\n%s", out)
	}
	if out := ask(true, "record", "-t", "1s", "nats:killed", script); !strings.Contains(out, "already") {
		t.Errorf("it is written over:\n%s", out)
	}
	ask(false, "record", "-t", "1s", "nats:second", script)
	if out := ask(false, "export", "-f", "csv", "nats:second"); !some.MatchString(out) || strings.Contains(out, "breaks off") {
		t.Errorf("the second has\n%s", out)
	}
	ask(false, "kept", "--remove", "killed", "--remove", "nats:second")
	if out := ask(false, "kept"); !strings.Contains(out, "keeps no recordings") {
		t.Errorf("what is left is\n%s", out)
	}
}

// TestFleetMistakes: what makes no sense is refused with a sentence, before anything is asked.
func TestFleetMistakes(t *testing.T) {
	for _, test := range []struct{ args, says string }{
		{"trace --fleet * -n BEGIN", "--nats"},
		{"trace --nats nats://x -n BEGIN", "--fleet is missing"},
		{"trace --fleet * --nats nats://x -p 1 -n BEGIN", "-p: a process is one of one host"},
		{"trace --fleet * --nats nats://x -l", "ask one host"},
		{"trace --fleet a, --nats nats://x -n BEGIN", "a part of it is empty"},
		{"agent --nats nats://x --name a/b", "a name has letters"},
		{"agent --nats nats://x --label role", "a label is key=value"},
		{"agent --nats nats://x more", "more makes no sense here"},
		{"agent --nats nats://x --label relay=a", "what dscope relay speaks for"},
		{"relay --nats nats://x --name a", "--fleet is missing"},
		{"relay --nats nats://x --name a --fleet relay=*", "not for other relays"},
		{"probes --fleet * --nats nats://x -l", "illegal option"},
		{"record --nats nats://x file script.d", "--fleet is missing"},
		{"record --nats nats://x -every 1m nats:a script.d", "a server keeps a recording as one"},
		{"record nats:a script.d", "--nats: the address of the NATS server is missing"},
		{"replay nats:a", "--nats: the address of the NATS server is missing"},
		{"kept more", "more makes no sense here"},
	} {
		cmd := exec.Command("dscope", strings.Fields(test.args)...)
		cmd.Env = append(os.Environ(), "DSCOPE_NATS=")
		var told bytes.Buffer
		cmd.Stderr = &told
		err := cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != exitUsage || !strings.Contains(told.String(), test.says) {
			t.Errorf("dscope %s: %v\n%s", test.args, err, told.String())
		}
	}
}

// TestUnit has systemd read the unit for agents.
func TestUnit(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil { // no part of what is installed for tests
		t.Skip(err)
	}
	program, err := exec.LookPath("dscope")
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/dscope-agent.service"
	unit := strings.ReplaceAll(agentUnit, "/usr/local/bin/dscope", program)
	if err := os.WriteFile(file, []byte(unit), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("systemd-analyze", "verify", "--man=no", file).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = exec.Command("systemd-analyze", "security", "--offline=true", "--no-pager", file).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", lastLine(out))
}

func lastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return fmt.Sprint(lines[len(lines)-1])
}

// TestManifest has kubectl read the manifest, and holds it to the privileges of the unit.
func TestManifest(t *testing.T) {
	unit := regexp.MustCompile(`(?m)^CapabilityBoundingSet=(.*)$`).FindStringSubmatch(agentUnit)
	manifest := regexp.MustCompile(`(?m)^ +add: \[(.*)\]$`).FindStringSubmatch(agentManifest)
	if unit == nil || manifest == nil {
		t.Fatal("where are the capabilities?")
	}
	if got := "CAP_" + strings.ReplaceAll(strings.ReplaceAll(manifest[1], `"`, ""), ", ", " CAP_"); got != unit[1] {
		t.Errorf("the manifest has %s, the unit %s", got, unit[1])
	}
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"agent.yaml": agentManifest, "kustomization.yaml": "resources: [agent.yaml]\n"} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("kubectl", "kustomize", dir).CombinedOutput()
	if err != nil || strings.Count(string(out), "\nkind: ") != 3 {
		t.Errorf("%v\n%s", err, out)
	}
}
