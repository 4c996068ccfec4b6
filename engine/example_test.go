package engine_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"dscope.dev/engine"
)

// A whole consumer: it opens the engine, compiles a script, starts it, works, stops,
// and reads what there is to know at the end.
func Example() {
	e, err := engine.New()
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()

	ctx := context.Background()
	c, err := e.Compile(ctx, engine.Script{
		Name:    "clock",
		Text:    `BEGIN { printf("begin"); } profile:::tick-100 { @ticks = count(); } END { printf("end"); }`,
		Options: engine.DefaultOptions(),
		Level:   1,
	})
	if err != nil {
		log.Fatal(err)
	}
	run, err := e.Start(ctx, c)
	if err != nil {
		log.Fatal(err)
	}

	time.AfterFunc(200*time.Millisecond, run.Stop)
	go func() {
		for range run.Status() { // what is lost, and what tracing costs, would be told here
		}
	}()
	ticks := make(chan bool)
	go func() {
		var n int64
		for snapshot := range run.Snapshots() {
			for _, table := range snapshot.Aggs {
				for _, row := range table.Rows {
					n = row.Value
				}
			}
		}
		ticks <- n > 0
	}()
	for batch := range run.Events() {
		for _, event := range batch {
			for _, item := range event.Items {
				fmt.Println(item.Text)
			}
		}
	}
	fmt.Println("the clock ticks:", <-ticks)
	if err := run.Close(); err != nil {
		log.Fatal(err)
	}
}
