package metrics_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	wire "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"dscope.dev/engine/metrics"
)

// A collector takes what is pushed as strictly as the protocol is published.
type collector struct {
	t      *testing.T
	got    chan *wire.MetricsData
	answer func(w http.ResponseWriter)
}

func newCollector(t *testing.T) (*collector, *httptest.Server) {
	c := &collector{t: t, got: make(chan *wire.MetricsData, 100)}
	srv := httptest.NewServer(c)
	t.Cleanup(srv.Close)
	return c, srv
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/metrics" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.t.Errorf("%v: %s %s, %s", err, r.Method, r.URL, r.Header.Get("Content-Type"))
	}
	var d wire.MetricsData // has the form of an ExportMetricsServiceRequest
	if err := proto.Unmarshal(body, &d); err != nil {
		c.t.Error(err)
	}
	if err := known(d.ProtoReflect()); err != nil {
		c.t.Error(err)
	}
	if c.answer != nil {
		c.answer(w)
	}
	c.got <- &d
}

// known complains about fields that the protocol does not have, anywhere in a message.
func known(m protoreflect.Message) (err error) {
	if len(m.GetUnknown()) > 0 {
		return fmt.Errorf("%s has unknown fields", m.Descriptor().FullName())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				if err = known(v.List().Get(i).Message()); err != nil {
					return false
				}
			}
		default:
			err = known(v.Message())
		}
		return err == nil
	})
	return err
}

// sound holds a metric to what the data model demands.
func sound(m *wire.Metric) error {
	if m.Name == "" {
		return fmt.Errorf("it has no name")
	}
	seen := map[string]bool{}
	point := func(began, now uint64, attributes string, needsBegin bool) error {
		switch {
		case seen[attributes]:
			return fmt.Errorf("%s: two points are one series: %s", m.Name, attributes)
		case now == 0 || needsBegin && (began == 0 || began > now):
			return fmt.Errorf("%s: from %d to %d", m.Name, began, now)
		}
		seen[attributes] = true
		return nil
	}
	switch d := m.Data.(type) {
	case *wire.Metric_Gauge:
		for _, p := range d.Gauge.DataPoints {
			if err := point(0, p.TimeUnixNano, fmt.Sprint(p.Attributes), false); err != nil {
				return err
			}
		}
	case *wire.Metric_Sum:
		if d.Sum.AggregationTemporality != wire.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE || !d.Sum.IsMonotonic {
			return fmt.Errorf("%s: %v", m.Name, d.Sum)
		}
		for _, p := range d.Sum.DataPoints {
			if err := point(p.StartTimeUnixNano, p.TimeUnixNano, fmt.Sprint(p.Attributes), true); err != nil {
				return err
			}
		}
	case *wire.Metric_Histogram:
		if d.Histogram.AggregationTemporality != wire.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
			return fmt.Errorf("%s: %v", m.Name, d.Histogram.AggregationTemporality)
		}
		for _, p := range d.Histogram.DataPoints {
			if err := point(p.StartTimeUnixNano, p.TimeUnixNano, fmt.Sprint(p.Attributes), true); err != nil {
				return err
			}
			sum := uint64(0)
			for _, n := range p.BucketCounts {
				sum += n
			}
			if len(p.BucketCounts) != len(p.ExplicitBounds)+1 || sum != p.Count || !slices.IsSorted(p.ExplicitBounds) || p.Sum != nil {
				return fmt.Errorf("%s: %v", m.Name, p)
			}
		}
	default:
		return fmt.Errorf("%s: %T", m.Name, d)
	}
	return nil
}

// TestOTLP pushes to a collector.
func TestOTLP(t *testing.T) {
	c, srv := newCollector(t)
	p, err := source(metrics.Options{}, all()...).Push(metrics.OTLP{URL: srv.URL, Every: time.Millisecond, Resource: map[string]string{"host.name": "h"}})
	if err != nil {
		t.Fatal(err)
	}
	d := <-c.got
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(d.ResourceMetrics[0].Resource.Attributes); !strings.Contains(got, "host.name") || !strings.Contains(got, "dscope") {
		t.Errorf("the resource is %s", got)
	}
	by := map[string]*wire.Metric{}
	for _, m := range d.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		if err := sound(m); err != nil {
			t.Error(err)
		}
		by[m.Name] = m
	}
	h := by["dscope.latency"].GetHistogram().DataPoints[0]
	if by["dscope.latency"].Unit != "ns" || !slices.Equal(h.ExplicitBounds, []float64{127, 255, 511, 1023}) || !slices.Equal(h.BucketCounts, []uint64{0, 3, 2, 0, 0}) || h.Count != 5 ||
		h.StartTimeUnixNano != uint64(began.UnixNano()) || h.TimeUnixNano != uint64(began.Add(3*time.Second).UnixNano()) {
		t.Errorf("%v", h)
	}
	if s := by["dscope.calls"].GetSum().DataPoints[0]; s.GetAsDouble() != 7 || s.Attributes[0].Key != "execname" || s.Attributes[0].Value.GetStringValue() != "dd" {
		t.Errorf("%v", s)
	}
}

// TestOTLPFails says once that nothing is taken, and once that it is again.
func TestOTLPFails(t *testing.T) {
	c, srv := newCollector(t)
	words, refuse := make(chan string, 100), make(chan bool, 1)
	refuse <- true
	c.answer = func(w http.ResponseWriter) {
		no := <-refuse
		refuse <- no
		if no {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	p, err := source(metrics.Options{}).Push(metrics.OTLP{URL: srv.URL, Every: time.Millisecond, Say: func(s string) { words <- s }})
	if err != nil {
		t.Fatal(err)
	}
	if w := <-words; !strings.Contains(w, "503") {
		t.Errorf("said %q", w)
	}
	<-c.got
	<-c.got
	<-refuse
	refuse <- false
	if w := <-words; w != "metrics are pushed again" {
		t.Errorf("said %q", w)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// A collector that takes a part of it says so in its answer: partial_success = 1.
func TestOTLPPartly(t *testing.T) {
	c, srv := newCollector(t)
	c.answer = func(w http.ResponseWriter) { w.Write([]byte("\x0a\x09\x08\x03\x12\x05stale")) }
	p, err := source(metrics.Options{}).Push(metrics.OTLP{URL: srv.URL, Every: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(t.Context()); err == nil || !strings.Contains(err.Error(), `rejected 3 points: "stale"`) {
		t.Errorf("%v", err)
	}
}

func TestOTLPRefused(t *testing.T) {
	for _, url := range []string{"localhost:4318", "ftp://x", "http://", "%"} {
		if _, err := metrics.New(metrics.Options{}).Push(metrics.OTLP{URL: url}); err == nil || !strings.Contains(err.Error(), "http://localhost:4318") {
			t.Errorf("%s: %v", url, err)
		}
	}
	p, err := source(metrics.Options{}).Push(metrics.OTLP{URL: "http://localhost:1", Every: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := p.Close(ctx); err == nil {
		t.Error("nobody has listened")
	}
}
