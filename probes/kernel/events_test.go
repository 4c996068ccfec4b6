package kernel_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
)

func TestEvents(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	events, err := k.Events()
	if err != nil {
		t.Fatal(err)
	}
	if want := (kernel.Event{Group: "block", Name: "block_rq_complete"}); events[0] != want {
		t.Errorf("the first is %v, want %v", events[0], want)
	}
	if len(events) != 22 {
		t.Errorf("%d events, want 22", len(events))
	}
	for _, gone := range []kernel.Event{{Group: "kprobes", Name: "my_probe"}, {Group: "synthetic", Name: "wakeup_lat"}} {
		if slices.Contains(events, gone) {
			t.Errorf("%v was added at run time and is listed", gone)
		}
	}
}

func TestFormat(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	f, err := k.Format(kernel.Event{Group: "sched", Name: "sched_switch"})
	if err != nil {
		t.Fatal(err)
	}
	if f.Name != "sched_switch" || f.ID != 372 || len(f.Fields) != 7 {
		t.Fatalf("got %+v", f)
	}
	want := []kernel.FormatField{
		{Type: "char", Name: "prev_comm", Len: 16, Offset: 8, Size: 16},
		{Type: "pid_t", Name: "prev_pid", Offset: 24, Size: 4, Signed: true},
	}
	if !slices.Equal(f.Fields[:2], want) {
		t.Errorf("got %+v, want %+v", f.Fields[:2], want)
	}
	if _, err := k.Format(kernel.Event{Group: "sched", Name: "none"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
}

func TestParseFormat(t *testing.T) {
	tests := []struct{ text, want string }{
		{"name: a\nID: 1\nformat:\n\tfield:const char * s;\toffset:8;\tsize:8;\tsigned:0;\n",
			"{a 1 [{const char * s 0 8 8 false}]}"},
		{"name: a\nID: 1\nformat:\n\tfield:__data_loc char[] n;\toffset:8;\tsize:4;\tsigned:1;\n",
			"{a 1 [{__data_loc char[] n 0 8 4 true}]}"},
		{"name: a\nID: 1\nformat:\n\tfield:int common_pid;\toffset:8;\tsize:4;\tsigned:1;\n", "{a 1 []}"},
		{"name: a\nID: 1\nprint fmt: \"field:x\"\n\tfield:y\n", "{a 1 []}"},
		{"", "format: it has no name"},
		{"name: a\nID: x\n", `format: the ID is no number: "ID: x"`},
		{"name: a\n\tfield:int x;\toffset:y;\n", `format: offset of field x is no number: "y"`},
		{"name: a\n\tfield:;\n", `format: a field has no name: "field:;"`},
	}
	for _, tt := range tests {
		f, err := kernel.ParseFormat(tt.text)
		got := fmt.Sprint(f)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q:\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func FuzzParseFormat(f *testing.F) {
	f.Add("name: a\nID: 1\nformat:\n\tfield:char c[16];\toffset:8;\tsize:8;\tsigned:0;\n")
	f.Add("name: a\n\tfield:int x[;\toffset:y;")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := kernel.ParseFormat(text)
		if err != nil {
			return
		}
		for _, field := range got.Fields {
			if got.Name == "" || field.Name == "" {
				t.Errorf("%q: something has no name: %+v", text, got)
			}
		}
	})
}

func TestTracefs(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	k := files.Open(t)
	if files.Opened != 0 {
		t.Error("tracefs was opened before anybody asked")
	}
	for range 2 {
		if _, err := k.Events(); err != nil {
			t.Fatal(err)
		}
	}
	if files.Opened != 1 {
		t.Errorf("tracefs was opened %d times", files.Opened)
	}
	for range 2 {
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if files.Closed != 1 {
		t.Errorf("tracefs was given back %d times", files.Closed)
	}
	unread := files.Open(t)
	if err := unread.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := unread.Events(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Close: got %v, want ErrClosed", err)
	}
}

func TestWithoutTracefs(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	files.Refuse = &kernel.Missing{What: "tracefs", Why: "permission denied", Remedy: "run as root"}
	_, err := files.Open(t).Events()
	if err == nil || err.Error() != "no tracefs: permission denied (run as root)" {
		t.Errorf("got %v", err)
	}
	files.Refuse = nil
	delete(files.Tracing, "available_events")
	var missing *kernel.Missing
	if _, err := files.Open(t).Events(); !errors.As(err, &missing) {
		t.Errorf("got %v, want a Missing", err)
	}
}

func TestTracepoints(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	module := kerneltest.Module(t, "nic_poll")
	files.Sys["kernel/btf/nic"] = &fstest.MapFile{Data: module}
	files.Sys["kernel/btf/bad"] = &fstest.MapFile{Data: []byte("not BTF")}
	k := files.Open(t)
	points, err := k.Tracepoints()
	if err != nil {
		t.Fatal(err)
	}
	if first, want := points[0], (kernel.Tracepoint{Module: "vmlinux", Name: "block_rq_complete"}); first != want {
		t.Errorf("the first is %v, want %v", first, want)
	}
	if last, want := points[len(points)-1], (kernel.Tracepoint{Module: "nic", Name: "nic_poll"}); last != want {
		t.Errorf("the last is %v, want %v", last, want)
	}
	if m, ok := k.ModuleOf("sched_switch"); !ok || m != "vmlinux" {
		t.Errorf("sched_switch is in %q, %v", m, ok)
	}
	tests := []struct{ name, want string }{
		{"sched_switch", "[preempt _Bool prev struct task_struct * next struct task_struct *]"},
		{"sched_util_tp", "[p struct task_struct *]"},
		{"nic_poll", "[ struct task_struct *]"}, // no stub tells the name
	}
	for _, tt := range tests {
		params, err := k.Params(tt.name)
		var got []string
		for _, p := range params {
			got = append(got, p.Name, p.Type.String())
		}
		if err != nil || fmt.Sprint(got) != tt.want {
			t.Errorf("%s: got %v, %v; want %s", tt.name, got, err, tt.want)
		}
	}
	if _, err := k.Params("block_rq_issue"); !errors.Is(err, kernel.ErrNoType) {
		t.Errorf("got %v, want ErrNoType", err)
	}
}
