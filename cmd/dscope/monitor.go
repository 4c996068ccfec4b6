package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"dscope.dev/engine/metrics"
	"dscope.dev/engine/trace"
)

// A monitoring is what the command line says of monitoring systems that are to know what a
// run aggregates.
type monitoring struct {
	addr string // --metrics: where Prometheus scrapes; "" is nowhere
	url  string // --otlp: where OTLP is pushed to
	keys int    // --metrics-keys: series of an aggregation at most; 0 is the usual number
}

// monitorHelp tells of --metrics, --otlp and --metrics-keys.
var monitorHelp = [3]string{
	"answer Prometheus at this address (localhost:9464) under /metrics while a script runs: each aggregation is a metric, its keys are labels",
	"push the same as OTLP over HTTP to this collector (http://localhost:4318); OTEL_EXPORTER_OTLP_HEADERS, OTEL_RESOURCE_ATTRIBUTES, " +
		"OTEL_SERVICE_NAME and OTEL_METRIC_EXPORT_INTERVAL are heeded",
	"most keys of an aggregation that they are told of; 1000 without it",
}

// take takes its flags out of args, in front of a lone --.
func (m *monitoring) take(args []string) (rest []string, err error) {
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		if args[i] == "--" {
			return append(rest, args[i:]...), nil
		}
		if name != "--metrics" && name != "--otlp" && name != "--metrics-keys" {
			rest = append(rest, args[i])
			continue
		}
		if !given {
			if i++; i == len(args) {
				return nil, fmt.Errorf("%s: what follows it is missing", name)
			}
			value = args[i]
		}
		if err := m.set(name, value); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

func (m *monitoring) set(name, value string) error {
	switch name {
	case "--metrics":
		if m.addr = value; value == "" {
			return errors.New("--metrics: an address, such as localhost:9464, is missing")
		}
	case "--otlp":
		if m.url = value; value == "" {
			return errors.New("--otlp: the URL of a collector, such as http://localhost:4318, is missing")
		}
	case "--metrics-keys":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("--metrics-keys %s: an aggregation has so many series at most, 1 or more", value)
		}
		m.keys = n
	}
	return nil
}

// lastPush is how long the end waits for a collector that does not answer.
const lastPush = 5 * time.Second

// wanted reports whether anybody looks at the run beside who reads it.
func (m *monitoring) wanted() bool { return m.addr != "" || m.url != "" }

// start begins to tell of the runs that the observer is shown, until done is called. There
// is no observer if nobody is to know.
func (m *monitoring) start(say func(string)) (to []trace.Observer, done func(), err error) {
	if !m.wanted() {
		return nil, func() {}, nil
	}
	s := metrics.New(metrics.Options{Keys: m.keys, Say: say})
	var ends []func()
	done = func() {
		for _, end := range ends {
			end()
		}
	}
	if m.addr != "" {
		at, err := s.Listen(m.addr)
		if err != nil {
			return nil, nil, err
		}
		say(fmt.Sprintf("metrics at http://%s/metrics", at.Addr))
		ends = append(ends, func() { at.Close() }) // nobody is left who could be told
	}
	if m.url != "" {
		o, err := otlpOf(m.url)
		if err == nil {
			o.Say = say
			var p *metrics.Pusher
			if p, err = s.Push(o); err == nil {
				ends = append(ends, func() {
					ctx, cancel := context.WithTimeout(context.Background(), lastPush)
					defer cancel()
					if err := p.Close(ctx); err != nil {
						say(fmt.Sprintf("the last metrics are not pushed: %v", err))
					}
				})
			}
		}
		if err != nil {
			done()
			return nil, nil, err
		}
	}
	return []trace.Observer{s}, done, nil
}

// otlpOf adds to the URL what OpenTelemetry has environment variables for: the headers, which
// are no matter for a command line that anybody can read, the resource, and the interval.
func otlpOf(to string) (o metrics.OTLP, err error) {
	o.URL = to
	if o.Headers, err = pairs("OTEL_EXPORTER_OTLP_HEADERS"); err != nil {
		return o, err
	}
	if o.Resource, err = pairs("OTEL_RESOURCE_ATTRIBUTES"); err != nil {
		return o, err
	}
	if name := os.Getenv("OTEL_SERVICE_NAME"); name != "" {
		o.Resource["service.name"] = name
	}
	if text := os.Getenv("OTEL_METRIC_EXPORT_INTERVAL"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms < 1 {
			return o, fmt.Errorf("OTEL_METRIC_EXPORT_INTERVAL=%s: it is a number of milliseconds", text)
		}
		o.Every = time.Duration(ms) * time.Millisecond
	}
	return o, nil
}

// pairs reads a variable that has name=value,name=value, with what is special as in URLs.
func pairs(variable string) (map[string]string, error) {
	out := map[string]string{}
	for pair := range strings.SplitSeq(os.Getenv(variable), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf("%s: it has name=value,name=value, with %% before two digits for what is special", variable) // whatever it has may be secret
		}
		out[strings.TrimSpace(name)] = value
	}
	return out, nil
}
