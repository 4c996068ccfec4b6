package metrics

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	wire "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// OTLP says where metrics are pushed to, and how.
type OTLP struct {
	URL      string            // of the collector; without a path /v1/metrics is
	Headers  map[string]string // of each request, such as one that authorises it
	Resource map[string]string // attributes of what is measured; service.name is dscope unless given
	Every    time.Duration     // between two pushes; 0 is 10 s
	Say      func(text string) // takes a word when pushing begins to fail and when it works again
}

// timeout bounds one push.
const timeout = 10 * time.Second

// A Pusher pushes what a source knows until it is closed. All that it pushes counts from the
// beginning of the run, so what is lost on the way costs no more than the moment: the next
// push makes up for it, and nothing is stored.
type Pusher struct {
	from    *Source
	o       OTLP
	to      string
	client  http.Client
	failing bool
	stop    chan struct{}
	done    chan struct{}
}

// Push begins to push.
func (s *Source) Push(o OTLP) (*Pusher, error) {
	u, err := url.Parse(o.URL)
	if err == nil && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		err = errors.New("it has no http:// or https:// and host in front")
	}
	if err != nil {
		return nil, fmt.Errorf("OTLP to %s: %w; a collector is usually at http://localhost:4318", o.URL, err)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/metrics"
	}
	if o.Every <= 0 {
		o.Every = 10 * time.Second
	}
	p := &Pusher{from: s, o: o, to: u.String(), client: http.Client{Timeout: timeout}, stop: make(chan struct{}), done: make(chan struct{})}
	go p.run()
	return p, nil
}

func (p *Pusher) run() {
	defer close(p.done)
	tick := time.NewTicker(p.o.Every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.told(p.once(context.Background()))
		case <-p.stop:
			return
		}
	}
}

// told says that pushing begins to fail, or works again.
func (p *Pusher) told(err error) {
	switch {
	case p.o.Say == nil:
	case err != nil && !p.failing:
		p.o.Say(fmt.Sprintf("metrics are not pushed: %v; it is tried again every %v", err, p.o.Every))
	case err == nil && p.failing:
		p.o.Say("metrics are pushed again")
	}
	p.failing = err != nil
}

// Close pushes for the last time, within the time of ctx, and returns what went wrong then.
func (p *Pusher) Close(ctx context.Context) error {
	close(p.stop)
	<-p.done
	return p.once(ctx)
}

// once pushes what is known now.
func (p *Pusher) once(ctx context.Context) error {
	r := p.from.Read()
	if r.Began.IsZero() {
		return nil
	}
	body, err := proto.Marshal(p.request(r))
	if err != nil {
		return fmt.Errorf("OTLP: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.to, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("OTLP: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("User-Agent", "dscope")
	for k, v := range p.o.Headers {
		req.Header.Set(k, v)
	}
	res, err := p.client.Do(req)
	if err != nil {
		return fmt.Errorf("OTLP: %w", err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	switch {
	case err != nil:
		return fmt.Errorf("OTLP: answer of %s: %w", p.to, err)
	case res.StatusCode/100 != 2:
		return fmt.Errorf("OTLP: %s answers %s", p.to, res.Status)
	}
	if n, why := rejected(answer); n > 0 {
		return fmt.Errorf("OTLP: %s has rejected %d points: %.200q", p.to, n, why)
	}
	return nil
}

// rejected reads an ExportMetricsServiceResponse: partial_success = 1 with
// rejected_data_points = 1 and error_message = 2. The package that has the type brings all of
// gRPC. What cannot be read says nothing.
func rejected(answer []byte) (points uint64, why string) {
	partial := fields(answer)[1]
	sub, _ := protowire.ConsumeBytes(partial)
	list := fields(sub)
	points, _ = protowire.ConsumeVarint(list[1])
	text, _ := protowire.ConsumeBytes(list[2])
	return points, string(text)
}

// fields returns the values of a message by the numbers of its fields.
func fields(b []byte) map[protowire.Number][]byte {
	out := map[protowire.Number][]byte{}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			break
		}
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		if size < 0 {
			break
		}
		out[number], b = b[n:n+size], b[n+size:]
	}
	return out
}

// request puts a reading into the words of OTLP. MetricsData has on the wire the form of an
// ExportMetricsServiceRequest.
func (p *Pusher) request(r Reading) *wire.MetricsData {
	about := map[string]string{"service.name": "dscope"}
	maps.Copy(about, p.o.Resource)
	var list []*wire.Metric
	for i := range r.Metrics {
		list = append(list, otlpMetric(&r.Metrics[i], r))
	}
	return &wire.MetricsData{ResourceMetrics: []*wire.ResourceMetrics{{
		Resource:     &resource.Resource{Attributes: attributes(slices.Sorted(maps.Keys(about)), func(_ int, k string) string { return about[k] })},
		ScopeMetrics: []*wire.ScopeMetrics{{Scope: &common.InstrumentationScope{Name: "dscope.dev"}, Metrics: list}},
	}}}
}

func attributes(names []string, value func(i int, name string) string) (out []*common.KeyValue) {
	for i, n := range names {
		out = append(out, &common.KeyValue{Key: n, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value(i, n)}}})
	}
	return out
}

// otlpMetric puts a metric into the words of OTLP. Whatever is an amount counts from the
// beginning of the run.
func otlpMetric(m *Metric, r Reading) *wire.Metric {
	out := &wire.Metric{Name: "dscope." + m.Name, Description: m.Help, Unit: m.Unit}
	began, now := uint64(r.Began.UnixNano()), uint64(time.Now().UnixNano())
	if !r.At.IsZero() && !strings.HasPrefix(m.Name, "run_") {
		now = max(uint64(r.At.UnixNano()), began)
	}
	if m.Kind == Histogram {
		h := &wire.Histogram{AggregationTemporality: wire.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}
		for i := range m.Points {
			p := &m.Points[i]
			h.DataPoints = append(h.DataPoints, &wire.HistogramDataPoint{
				Attributes: attributes(m.Labels, func(n int, _ string) string { return p.Labels[n] }), StartTimeUnixNano: began, TimeUnixNano: now,
				Count: p.Count, ExplicitBounds: m.Bounds, BucketCounts: p.Counts,
			})
		}
		out.Data = &wire.Metric_Histogram{Histogram: h}
		return out
	}
	var points []*wire.NumberDataPoint
	for i := range m.Points {
		p := &m.Points[i]
		one := &wire.NumberDataPoint{Attributes: attributes(m.Labels, func(n int, _ string) string { return p.Labels[n] }), TimeUnixNano: now,
			Value: &wire.NumberDataPoint_AsDouble{AsDouble: p.Value}}
		if m.Kind == Counter {
			one.StartTimeUnixNano = began
		}
		points = append(points, one)
	}
	if m.Kind == Counter {
		out.Data = &wire.Metric_Sum{Sum: &wire.Sum{DataPoints: points, IsMonotonic: true, AggregationTemporality: wire.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}}
	} else {
		out.Data = &wire.Metric_Gauge{Gauge: &wire.Gauge{DataPoints: points}}
	}
	return out
}
