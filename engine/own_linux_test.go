package engine

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestOwnFirings holds that of the process that traces, here the test, calls are left out,
// but neither the interrupts that hit it nor the switches from it to others.
func TestOwnFirings(t *testing.T) {
	e := tracing(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("names interrupts of x86-64")
	}
	interrupts := []string{"softirq_entry"}
	if e.machine.Trials.Interrupts().Var != 0 {
		interrupts = append(interrupts, "local_timer_entry")
	} else {
		t.Log("programs cannot read the count of interrupts here: only those that are known by name are kept")
	}
	for _, tp := range interrupts {
		s := started(t, e, strings.ReplaceAll(strings.ReplaceAll(`
			syscall::getppid:entry /pid == $pid/ { @called = count(); }
			rawtp:::TP /pid == $pid/ { @hit = count(); hits++; }
			sdt:::sched_switch /args[1]->tgid == SELF && args[2]->tgid != SELF/ { @left = count(); switches++; }
			sdt:::sched_switch /args[2]->tgid == SELF && args[1]->tgid != SELF/ { @came = count(); }
			tick-10ms /hits >= 5 && switches >= 20/ { exit(0); }
			tick-60s { exit(1); }`, "TP", tp), "SELF", strconv.Itoa(e.machine.Trials.Self())), 0)
		ended := make(chan outcome)
		go func() { ended <- all(s, 0) }()
		var o outcome
		for done := false; !done; {
			select {
			case o = <-ended:
				done = true
			default: // be there to be interrupted
				syscall.Getppid()
			}
		}
		count := map[string]int64{}
		for _, a := range o.snap.Aggs {
			if len(a.Rows) > 0 {
				count[a.Name] = a.Rows[0].Value
			}
		}
		if count["called"] != 0 || count["hit"] < 5 {
			t.Errorf("%s: %d calls and %d interrupts of process %d were told, want 0 and 5 at least", tp, count["called"], count["hit"], os.Getpid())
		}
		// Not each time: of some switches on a busy CPU Linux 6.18 tells nobody, tracefs neither.
		if left, came := count["left"], count["came"]; left < 20 || came < left/2 || left < came/2 {
			t.Errorf("%s: the process left the CPU %d times and came to it %d times", tp, count["left"], count["came"])
		}
	}
}
