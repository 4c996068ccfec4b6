package ui

import (
	"testing"
	"testing/synctest"

	"dscope.dev/engine/trace"
)

func TestProbesOfClauseAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{probes: []trace.Probe{{Provider: "pid7", Module: "shop", Function: "sell", Name: "entry"}, {Provider: "pid7", Module: "shop", Function: "sell", Name: "return"}},
			info: trace.ProbeInfo{Args: []trace.Arg{{Type: "struct item *", Name: "i"}, {Type: "int"}}, Help: "is sold", Hook: "uprobe shop+0x12"}}
		b := start(t, f, Options{})
		defer b.end()
		b.keys("alt+h")
		b.shows("the cursor is at no word and in no clause")
		b.text("pid7:shop:sell:, BEGIN { x }")
		b.keys("alt+h")
		b.shows("The word and its clause", "pid7:shop:sell:", "covers 2 probes: pid7:shop:sell:entry", "args[0]", "struct item *  i", "args[1]", "is sold", "uprobe shop+0x12", "BEGIN")
		b.keys("esc", "home", "f4")
		b.shows("pid7:shop:sell:")
		if n := len(b.model().overlay.(*known).facts); n != 6 {
			t.Errorf("%d lines are told of the description that the cursor is on", n)
		}
	})
}
