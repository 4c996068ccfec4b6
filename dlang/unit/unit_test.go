package unit

import (
	"math"
	"testing"
)

func TestOf(t *testing.T) {
	for expr, want := range map[string]Unit{
		"timestamp - self->ts":                            Nanoseconds,
		"(timestamp - self->ts)":                          Nanoseconds,
		"vtimestamp - start[pid, execname]":               Nanoseconds,
		"(uint64_t)(walltimestamp - this->from)":          Nanoseconds,
		"(timestamp - self->ts) / 1000":                   Microseconds,
		"(timestamp - self->ts) / 1000000":                Milliseconds,
		"((timestamp - ts[arg0]) / 1000) / 1000":          Milliseconds,
		"(timestamp - self->ts)/1000000000":               Seconds,
		"(timestamp - self->ts) / 1000000000000":          None,
		"(timestamp - self->ts) / 1024":                   None,
		"(timestamp - self->ts) / 0":                      None,
		"(timestamp - self->ts) / n":                      None,
		"timestamp":                                       None,
		"self->elapsed":                                   None,
		"arg0 - arg1":                                     None,
		"timestamp + 5":                                   None,
		"arg2":                                            None,
		"":                                                None,
		"1); } END { (1":                                  None,
		"timestamp - self->ts; ":                          None,
		"self->timestamp - self->ts":                      None,
		"(timestamp - self->ts) * 1000":                   None,
		"timestamp - self->ts, 10":                        None,
		"(timestamp - self->ts) / (1000 /* to us */)":     Microseconds,
		"(int)((timestamp - self->ts) / 1000)":            Microseconds,
		"this->now - timestamp":                           Nanoseconds,
		"(timestamp - self->ts) / 1000 - self->overhead":  None,
		"timestamp - self->ts > 100 ? timestamp - 1 : 0 ": None,
	} {
		if got := Of(expr); got != want {
			t.Errorf("%q: %d, want %d", expr, got, want)
		}
	}
}

func TestAgreed(t *testing.T) {
	ns, us := "timestamp - self->ts", "(timestamp - self->ts) / 1000"
	for _, tt := range []struct {
		exprs []string
		want  Unit
	}{{nil, None}, {[]string{ns}, Nanoseconds}, {[]string{ns, ns}, Nanoseconds}, {[]string{ns, us}, None}, {[]string{us, "arg0"}, None}, {[]string{"arg0", us}, None}} {
		if got := Agreed(tt.exprs); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.exprs, got, tt.want)
		}
	}
}

func TestRange(t *testing.T) {
	for _, tt := range []struct {
		u         Unit
		low, high int64
		want      string
	}{
		{Nanoseconds, 64, 127, "64-128ns"},
		{Nanoseconds, 512, 1023, "0.51-1.02us"},
		{Nanoseconds, 32768, 65535, "32.8-65.5us"},
		{Nanoseconds, 1 << 20, 1<<21 - 1, "1.05-2.1ms"},
		{Nanoseconds, 1 << 29, 1<<30 - 1, "0.54-1.07s"},
		{Nanoseconds, 1 << 40, 1<<41 - 1, "1100-2199s"},
		{Microseconds, 1000, 1999, "1-2ms"},
		{Milliseconds, 0, 9, "0-10ms"},
		{Seconds, 3, 3, "3s"},
		{Nanoseconds, 0, 0, "0ns"},
		{Nanoseconds, math.MinInt64, -1, "<0ns"},
		{Milliseconds, 1000, math.MaxInt64, "≥1s"},
		{None, 4096, 8191, "4.1-8.19k"},
		{None, 100, 109, "100-110"},
		{None, 7, 7, "7"},
		{None, -8191, -4096, "-8.19--4.09k"},
		{None, math.MinInt64, math.MaxInt64, "any"},
		{None, 1 << 62, math.MaxInt64, "≥4.61E"},
	} {
		if got := tt.u.Range(tt.low, tt.high, "-"); got != tt.want {
			t.Errorf("%d: %d to %d: %s, want %s", tt.u, tt.low, tt.high, got, tt.want)
		}
	}
}
