package user

import (
	"errors"
	"os"
)

// available returns nil if the kernel has uprobes.
func available() error {
	_, err := os.Stat("/sys/bus/event_source/devices/uprobe/type")
	if errors.Is(err, os.ErrNotExist) {
		return errors.New("this kernel has no uprobes; it needs CONFIG_UPROBE_EVENTS, and /sys to be mounted")
	}
	return nil
}
