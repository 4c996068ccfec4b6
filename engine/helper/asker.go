package helper

import (
	"cmp"
	"fmt"
	"os/user"
	"slices"
	"strconv"
)

// An Asker is who has connected, as the kernel and the files of users know him.
type Asker struct {
	UID, GID, PID int
	User          string   // "" if no file knows the number
	GIDs          []int    // all groups, that of GID first
	Groups        []string // their names, and their numbers
}

// Name is how people call somebody.
func (a *Asker) Name() string { return cmp.Or(a.User, fmt.Sprintf("user %d", a.UID)) }

// newAsker finds out the groups of a user: those that his process has, and those that the
// files of this machine give him, which a login of long ago may lack.
func newAsker(uid, gid, pid int, groups []int) *Asker {
	a := &Asker{UID: uid, GID: gid, PID: pid}
	a.join(gid)
	for _, g := range groups {
		a.join(g)
	}
	u, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return a
	}
	a.User = u.Username
	ids, err := u.GroupIds()
	if err != nil {
		return a
	}
	for _, id := range ids {
		if n, err := strconv.Atoi(id); err == nil {
			a.join(n)
		}
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
