package helper

import (
	"cmp"
	"fmt"
	"os/user"
	"slices"
	"strconv"
)

// An Asker is who has connected. Who that is the kernel says; files of the machine give
// names alone. So groups are those of his process: one that has given some up does not get
// them back here, and who has been put into a group logs in anew.
type Asker struct {
	UID, GID, PID int
	User          string   // "" if no file knows the number
	GIDs          []int    // all groups, that of GID first
	Groups        []string // their names, and their numbers
}

// Name is how people call somebody.
func (a *Asker) Name() string { return cmp.Or(a.User, fmt.Sprintf("user %d", a.UID)) }

// newAsker finds names for numbers.
func newAsker(uid, gid, pid int, groups []int) *Asker {
	a := &Asker{UID: uid, GID: gid, PID: pid}
	a.join(gid)
	for _, g := range groups {
		a.join(g)
	}
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		a.User = u.Username
	}
	return a
}

func (a *Asker) join(gid int) {
	if slices.Contains(a.GIDs, gid) {
		return
	}
	a.GIDs = append(a.GIDs, gid)
	a.Groups = append(a.Groups, strconv.Itoa(gid))
	if g, err := user.LookupGroupId(strconv.Itoa(gid)); err == nil {
		a.Groups = append(a.Groups, g.Name)
	}
}
