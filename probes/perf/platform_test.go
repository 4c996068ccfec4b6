package perf

import (
	"reflect"
	"testing"
	"testing/fstest"
)

func TestPlatform(t *testing.T) {
	const dir = "bus/event_source/devices/cpu/"
	sys := fstest.MapFS{}
	for name, text := range map[string]string{
		"type": "4\n", "format/event": "config:0-7\n", "format/umask": "config:8-15\n", "format/edge": "config:18\n",
		"format/ldlat": "config1:0-15\n", "format/wide": "config:0-7,32-35\n", "format/odd": "config:7-0\n",
		"events/cpu-cycles": "event=0x3c\n", "events/topdown-slots": "event=0x00,umask=0x4\n", "events/el-start": "event=0xc8,umask=0x1,edge\n",
		"events/mem-loads": "event=0xcd,ldlat=3\n", "events/topdown-slots.scale": "2\n", "events/big": "wide=0xfff\n",
		"events/too-big": "umask=0x100\n", "events/unknown": "cmask=1\n", "events/sly": "../type=1\n", "events/bent": "odd=1\n",
	} {
		sys[dir+name] = &fstest.MapFile{Data: []byte(text)}
	}
	got := map[string]uint64{}
	for _, e := range platform(sys, events()) {
		if e.Type != 4 || e.Help == "" || !e.Steady {
			t.Errorf("%+v", e)
		}
		got[e.Name] = e.Config
	}
	want := map[string]uint64{"topdown_slots": 0x400, "el_start": 0xc8 | 1<<8 | 1<<18, "big": 0xf000000ff}
	if !reflect.DeepEqual(got, want) { // cpu_cycles is taken
		t.Errorf("events %x, want %x", got, want)
	}
	if list := platform(fstest.MapFS{}, nil); list != nil {
		t.Errorf("a machine without counters has %v", list)
	}
}

func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		format string
		value  uint64
		want   uint64
		ok     bool
	}{
		{"config:0-63", 1<<64 - 1, 1<<64 - 1, true},
		{"config:63", 1, 1 << 63, true},
		{"config:0-7", 0x100, 0, false},
		{"config1:0-7", 1, 0, false},
		{"config:0-64", 1, 0, false},
		{"config:", 1, 0, false},
		{"", 1, 0, false},
	} {
		got, err := spread(tt.format, tt.value)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("spread(%q, %x) = %x, %v", tt.format, tt.value, got, err)
		}
	}
}
