package sideband

import "testing"

// Only what is said of modules has the list of modules read again.
func TestAboutModule(t *testing.T) {
	for message, want := range map[string]bool{
		"add@/module/dummy\x00ACTION=add\x00DEVPATH=/module/dummy\x00SUBSYSTEM=module\x00SEQNUM=7\x00": true,
		"remove@/module/dummy\x00ACTION=remove\x00":                                                    true,
		"change@/module/dummy\x00":                                                                     false,
		"add@/devices/virtual/net/module/eth\x00":                                                      false,
		"libudev\x00\xfe\xed\xca\xfe":                                                                  false,
		"":                                                                                             false,
	} {
		if got := aboutModule([]byte(message)); got != want {
			t.Errorf("%q: %t, want %t", message, got, want)
		}
	}
}

// The ear hears nothing where nothing happens, and gives its descriptor back.
func TestModuleEar(t *testing.T) {
	e, err := ListenModules()
	if err != nil {
		t.Skip(err)
	}
	for range 100 { // others may have loaded one this moment
		if !e.Drain() {
			break
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
