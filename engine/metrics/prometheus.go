package metrics

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// A collector is a Source as the client library of Prometheus asks for it. It describes
// nothing beforehand, because scripts come and go.
type collector struct{ s *Source }

func (c collector) Describe(chan<- *prometheus.Desc) {}

func (c collector) Collect(out chan<- prometheus.Metric) {
	for _, m := range c.s.Read().Metrics {
		desc := prometheus.NewDesc(promName(&m), m.Help, m.Labels, nil)
		for i := range m.Points {
			p := &m.Points[i]
			var one prometheus.Metric
			var err error
			switch m.Kind {
			case Histogram:
				buckets, sum := map[float64]uint64{}, uint64(0)
				for n, b := range m.Bounds {
					sum += p.Counts[n]
					buckets[b] = sum
				}
				one, err = prometheus.NewConstHistogram(desc, p.Count, math.NaN(), buckets, p.Labels...)
			case Counter:
				one, err = prometheus.NewConstMetric(desc, prometheus.CounterValue, p.Value, p.Labels...)
			default:
				one, err = prometheus.NewConstMetric(desc, prometheus.GaugeValue, p.Value, p.Labels...)
			}
			if err != nil {
				one = prometheus.NewInvalidMetric(desc, err)
			}
			out <- one
		}
	}
}

// promName is what Prometheus calls a metric. Counters end in _total, and what other kinds
// end in is kept for them.
func promName(m *Metric) string {
	name := "dscope_" + m.Name
	if m.Kind == Counter {
		return strings.TrimSuffix(name, "_total") + "_total"
	}
	for _, end := range []string{"_total", "_sum", "_count", "_bucket", "_info", "_created"} {
		if strings.HasSuffix(name, end) {
			return name + "_value"
		}
	}
	return name
}

// Handler answers scrapes. A key that goes wrong takes none of the others with it.
func (s *Source) Handler() http.Handler {
	reg := prometheus.NewRegistry()
	reg.MustRegister(collector{s})
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// A Server is the endpoint.
type Server struct {
	Addr net.Addr
	http *http.Server
	done chan error
}

// Listen begins to answer scrapes at an address, host:port or :port, under /metrics.
func (s *Source) Listen(addr string) (*Server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("metrics at %s: %w (host:port or :port, such as localhost:9464)", addr, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.Handler())
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "dscope: what the script that runs aggregates is at /metrics, for Prometheus")
	})
	srv := &Server{Addr: l.Addr(), done: make(chan error, 1), http: &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute}}
	go func() { srv.done <- srv.http.Serve(l) }()
	return srv, nil
}

// Close ends the endpoint; scrapes in progress are cut short.
func (s *Server) Close() error {
	err := s.http.Close()
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
