package symbol

import (
	"testing"

	"dscope.dev/probes/resolver/resolvertest"
)

func TestMain(m *testing.M) { resolvertest.Main(m) }
