package kernel_test

import (
	"slices"
	"testing"
	"testing/fstest"
)

const liveModules = `nic 16384 1 - Live 0xffffffffc0000000
early 4096 0 - Loading 0xffffffffc0100000 (O)
late 4096 0 - Unloading 0xffffffffc0200000
ext4 1011712 2 crc16,mbcache, Live 0xffffffffc0300000
`

// A module is there once it works and until it begins to go.
func TestLiveModules(t *testing.T) {
	files := withFunctions(t)
	files.Proc["modules"] = &fstest.MapFile{Data: []byte(liveModules)}
	got, err := files.Open(t).LiveModules()
	if err != nil || !slices.Equal(got, []string{"ext4", "nic"}) {
		t.Errorf("got %q, %v", got, err)
	}
}

// What was read stays until it is renewed; then functions, symbols and what was not
// there are found, and what was there at first is still known.
func TestRenew(t *testing.T) {
	files := withFunctions(t)
	files.Proc["modules"] = &fstest.MapFile{Data: []byte("nic 16384 1 - Live 0xffffffffc0000000\n")}
	k := files.Open(t)
	there := func() (function, symbol, listed bool) {
		funcs, err := k.Functions()
		if err != nil {
			t.Fatal(err)
		}
		syms, err := k.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		_, function = funcs.Find("tail", "tail_open")
		_, symbol = syms.Find("tail", "tail_open")
		return function, symbol, slices.Contains(k.Listed(), "tail")
	}
	there()
	if _, err := k.Symbol("tail", "tail_open"); err == nil {
		t.Error("a symbol of a module that is not there was found")
	}
	old, _ := k.Functions()
	files.Proc["modules"] = &fstest.MapFile{Data: []byte("nic 16384 1 - Live 0xffffffffc0000000\ntail 4096 0 - Live 0xffffffffc0100000\n")}
	files.Tracing["available_filter_functions"] = &fstest.MapFile{Data: []byte(filter + "tail_open [tail]\n")}
	symbols := files.Proc["kallsyms"].Data
	files.Proc["kallsyms"] = &fstest.MapFile{Data: append(slices.Clone(symbols), "ffffffffc0100010 t tail_open\t[tail]\n"...)}
	if function, symbol, _ := there(); function || symbol {
		t.Error("the picture changed before it was renewed")
	}
	k.Renew([]string{"tail"})
	if function, symbol, listed := there(); !function || !symbol || listed {
		t.Errorf("after it was renewed: function %t, symbol %t, listed at first %t", function, symbol, listed)
	}
	if _, err := k.Symbol("tail", "tail_open"); err != nil {
		t.Error(err)
	}
	if _, ok := old.Find("tail", "tail_open"); ok {
		t.Error("what somebody holds has changed")
	}
}
