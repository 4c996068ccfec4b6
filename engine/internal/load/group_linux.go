package load

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// setGroup tells the programs which control group's firings count. The map keeps it: what is
// made later under the same name is another.
func (k *Loaded) setGroup() error {
	m := k.coll.Maps[k.obj.Maps.Group]
	if m == nil {
		return nil
	}
	dir, err := os.OpenFile(k.c.Group, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err == nil {
		err = m.Put(uint32(0), uint32(dir.Fd()))
		err = errors.Join(err, dir.Close())
	}
	if err != nil {
		return fmt.Errorf("trace within the control group %s: %w", k.c.Group, err)
	}
	return nil
}
