package engine_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"dscope.dev/engine"
	"dscope.dev/engine/trace"
)

// A printer prints what a run prints, and sees what its aggregations hold at the end.
type printer struct{ ticks int64 }

func (p *printer) Events(batch []trace.Event) error {
	for _, event := range batch {
		for _, item := range event.Items {
			fmt.Println(item.Text)
		}
	}
	return nil
}

func (p *printer) End(_ trace.Status, aggs []trace.Table) error {
	for _, table := range aggs {
		for _, row := range table.Rows {
			p.ticks = row.Value
		}
	}
	return nil
}

// A whole consumer: it opens the engine, compiles a script, starts it, and reads it to its
// end, which here comes after 200 ms.
func Example() {
	e, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()

	ctx := context.Background()
	c, err := e.Compile(ctx, engine.Script{
		Name: "clock",
		Text: `BEGIN { printf("begin"); } profile:::tick-100 { @ticks = count(); } END { printf("end"); }`,
	})
	if err != nil {
		log.Fatal(err)
	}
	run, err := c.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	time.AfterFunc(200*time.Millisecond, run.Stop)

	var p printer
	if _, err := trace.Follow(run, &p); err != nil {
		log.Fatal(err)
	}
	fmt.Println("the clock ticks:", p.ticks > 0)
	if err := run.Close(); err != nil {
		log.Fatal(err)
	}
}
