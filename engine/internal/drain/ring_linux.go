package drain

import (
	"time"

	"dscope.dev/engine/internal/load"
)

// A ring is the record buffer of one CPU, with what the drain knows of it.
type ring struct {
	*load.Ring
	emptied time.Time // the turn that last found nothing more
	commit  *commit   // what it waits for; nil if it can be read
}
