package option_test

import (
	"testing"

	"dscope.dev/dlang/option"
)

func TestFlag(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string
	}{
		{"", "on"}, {"1", "on"}, {"4", "on"}, {"0x10", "on"}, {"yes", "on"}, {"Enable", "on"}, {"set", "on"},
		{"0", "off"}, {"00", "off"}, {"false", "off"}, {"NO", "off"}, {"unset", "off"}, {"disabled", "off"},
		{"-1", "bad"}, {"maybe", "bad"}, {"4k", "bad"}, {" ", "bad"}, {"99999999999999999999", "bad"},
	} {
		on, err := option.Flag(tt.text)
		got := map[bool]string{true: "on", false: "off"}[on]
		if err != nil {
			got = "bad"
		}
		if got != tt.want {
			t.Errorf("Flag(%q) is %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestSize(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int64 // -1: an error
	}{
		{"512", 512}, {"16k", 16 << 10}, {"4M", 4 << 20}, {"1g", 1 << 30}, {"2t", 2 << 40}, {"0x10", 16},
		{"", -1}, {"k", -1}, {"-1", -1}, {"4kb", -1}, {"9999999999g", -1}, {"lots", -1},
	} {
		got, err := option.Size(tt.text)
		if err != nil {
			got = -1
		}
		if got != tt.want {
			t.Errorf("Size(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

func TestRate(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int64 // ns; -1: an error
	}{
		{"100ms", 1e8}, {"1s", 1e9}, {"10hz", 1e8}, {"10", 1e8}, {"5us", 5000}, {"2min", 120e9}, {"1h", 3600e9},
		{"", -1}, {"0hz", -1}, {"fast", -1}, {"-1s", -1}, {"1fortnight", -1}, {"99999999999999d", -1},
	} {
		got, err := option.Rate(tt.text)
		if err != nil {
			got = -1
		}
		if got != tt.want {
			t.Errorf("Rate(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}
