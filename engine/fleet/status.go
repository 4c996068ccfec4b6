package fleet

import (
	"fmt"
	"slices"
	"time"

	"dscope.dev/engine/trace"
)

// Status returns how the runs stand.
func (m *Merge) Status(now time.Time) trace.Status {
	out := trace.Status{State: trace.Starting, Elapsed: now.Sub(m.began), Events: m.events, Exited: true}
	running, ended, stopping := 0, 0, 0
	for _, name := range m.names {
		h := m.hosts[name]
		if quiet := now.Sub(h.heard); h.State < trace.Done && quiet > m.o.Silence {
			h.Silent = quiet
			if !h.silent {
				h.silent = true
				m.tell(now, fmt.Sprintf("%s has been silent for %v: its part stays as it was", h.Name, quiet.Round(time.Second)))
			}
		} else {
			h.Silent = 0
		}
		h.Behind = 0
		if h.began && h.State < trace.Done {
			h.Behind = max(now.Sub(h.upto), 0)
		}
		switch {
		case h.State == trace.Running:
			running++
		case h.State == trace.Stopping:
			stopping++
		case h.State >= trace.Done:
			ended++
		}
		s := &h.status
		out.Probes += s.Probes
		out.Exit = max(out.Exit, s.Exit)
		out.Exited = out.Exited && (s.Exited || h.Refused)
		for _, d := range s.Drops {
			out.Drops = append(out.Drops, trace.Drop{Kind: d.Kind, CPU: d.CPU, Count: d.Count, Where: at(name, d.Where), Cure: d.Cure})
		}
		if h.Lost > 0 {
			out.Drops = append(out.Drops, trace.Drop{Kind: trace.DropReader, CPU: -1, Count: h.Lost, Where: at(name, "on the way")})
		}
		for _, line := range s.Hooks {
			out.Hooks = append(out.Hooks, at(name, line))
		}
		for _, line := range s.Missing {
			out.Missing = append(out.Missing, at(name, line))
		}
		if !m.o.Brief || h.State == trace.Failed || h.Silent > 0 || h.Drops+h.Lost > 0 {
			out.Hosts = append(out.Hosts, h.Host)
		}
		for _, below := range s.Hosts {
			below.Name = under(name, below.Name)
			out.Hosts = append(out.Hosts, below)
		}
	}
	switch {
	case running > 0:
		out.State = trace.Running
	case stopping > 0:
		out.State = trace.Stopping
	}
	if since := now.Sub(m.rated); since >= time.Second {
		m.rate = float64(m.events-m.before) / since.Seconds()
		m.rated, m.before = now, m.events
	}
	out.Rate = m.rate
	return out
}

func at(host, text string) string {
	if text == "" {
		return host
	}
	return host + ": " + text
}

// Over reports whether every host that was asked has ended, and whether any had begun.
func (m *Merge) Over() (over, any bool) {
	over = true
	for _, h := range m.hosts {
		over = over && h.State >= trace.Done
		any = any || h.began
	}
	return over, any
}

// Unanswered returns the hosts that have neither begun nor refused.
func (m *Merge) Unanswered() (list []string) {
	for _, name := range m.names {
		if m.hosts[name].State == trace.Starting {
			list = append(list, name)
		}
	}
	return list
}

// Silent returns the hosts that have not ended and of which nothing has come for so long.
func (m *Merge) Silent(now time.Time, long time.Duration) (list []string) {
	for _, name := range m.names {
		if h := m.hosts[name]; h.State < trace.Done && now.Sub(h.heard) > long {
			list = append(list, name)
		}
	}
	return list
}

// Refusals returns why hosts have refused, by what they said, in the order of their names.
func (m *Merge) Refusals() (list []Refusal) {
	for _, name := range m.names {
		h := m.hosts[name]
		if !h.Refused {
			continue
		}
		i := slices.IndexFunc(list, func(r Refusal) bool { return r.Err.Error() == h.status.Err.Error() })
		if i < 0 {
			list = append(list, Refusal{Err: h.status.Err})
			i = len(list) - 1
		}
		list[i].Hosts = append(list[i].Hosts, name)
	}
	return list
}

// A Refusal is why hosts do not run a script.
type Refusal struct {
	Hosts []string
	Err   error
}
