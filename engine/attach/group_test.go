package attach

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

// A counted member counts how often it is closed, and may fail.
type counted struct {
	closed *atomic.Int32
	err    error
}

func (c counted) Close() error {
	c.closed.Add(1)
	return c.err
}

// TestGroup holds that each member is closed once, however many there are, and that no
// complaint is lost.
func TestGroup(t *testing.T) {
	for _, n := range []int{0, 1, fewAtOnce - 1, fewAtOnce, mostAtOnce, 5*mostAtOnce + 1} {
		var g Group
		var all []*atomic.Int32
		for i := range n {
			c := counted{closed: new(atomic.Int32)}
			if i%3 == 1 {
				c.err = fmt.Errorf("member %d", i)
			}
			all = append(all, c.closed)
			g = append(g, c)
		}
		err := g.Close()
		for i, c := range all {
			if c.Load() != 1 {
				t.Errorf("of %d, member %d was closed %d times", n, i, c.Load())
			}
		}
		if got := strings.Count(fmt.Sprint(errors.Join(err)), "member"); got != (n+1)/3 {
			t.Errorf("of %d, %d complaints came back", n, got)
		}
	}
}
