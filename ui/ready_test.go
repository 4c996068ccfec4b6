package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/question"
)

// TestQuestionRuns has a question run at once, and another one beside the first, which has
// been changed.
func TestQuestionRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{})
		b.keys("ctrl+p")
		b.text("slow reads")
		b.keys("ctrl+r")
		first, _ := question.Named("read-latency")
		if len(f.runs) != 1 || f.runs[0].script.Text != first.Text {
			t.Fatalf("%d runs, want one of read-latency", len(f.runs))
		}
		b.keys("alt+2")
		b.text("x")
		b.keys("esc", "alt+q")
		b.text("fsync")
		b.keys("ctrl+r")
		second, _ := question.Named("sync-latency")
		if len(f.runs) != 2 || f.runs[1].script.Text != second.Text {
			t.Fatalf("%d runs, want a second one of sync-latency", len(f.runs))
		}
		b.shows("untitled  2 of 2")
		b.keys("alt+2", "ctrl+pgup")
		if got := b.model().editor.Document().Text(); got != "x"+first.Text {
			t.Errorf("beside it the script is %q", got)
		}
		b.keys("ctrl+pgup")
		b.keys("alt+2", "alt+q")
		b.text("dns")
		b.keys("enter") // nothing is lost of a question that nobody has changed
		if third, _ := question.Named("name-queries"); b.model().editor.Document().Text() != third.Text || len(f.runs) != 2 {
			t.Errorf("%d runs, and the script is %q", len(f.runs), b.model().editor.Document().Text())
		}
		b.end()
	})
}

// TestQuestionThatCannotBeAsked is shown with the reason, opens, and does not run.
func TestQuestionThatCannotBeAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{lacks: "fbt::vfs_*"}
		b := start(t, f, Options{})
		b.keys("alt+q")
		b.text("vfs file operations")
		b.wait(time.Second)
		b.shows("What is asked of the file systems?", "not here", "fbt::vfs_* cannot be traced here", "cost medium")
		b.keys("ctrl+r")
		if len(f.runs) != 0 {
			t.Error("it runs")
		}
		b.keys("enter")
		if !strings.Contains(b.model().editor.Document().Text(), "fbt::vfs_*:entry") {
			t.Error("it does not open")
		}
		b.keys("ctrl+p")
		b.text("next theme")
		b.keys("ctrl+r")
		b.shows("this is no question: enter does what it says")
		b.keys("esc")
		b.end()
	})
}
