package record

import (
	"maps"
	"strings"
	"testing"
)

func TestServices(t *testing.T) {
	got := readServices(strings.NewReader(`# a comment
tcpmux		1/tcp				# TCP port service multiplexer
ssh		22/tcp				# SSH Remote Login Protocol
ssh-again	22/udp
odd
much		70000/tcp
minus		-1/tcp
www		80/tcp		http	# WorldWideWeb HTTP
`))
	if want := map[uint64]string{1: "tcpmux", 22: "ssh", 80: "www"}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
