package engine

import "golang.org/x/sys/unix"

// sessionID returns the id of the session that the process belongs to.
func sessionID() (int, error) { return unix.Getsid(0) }
