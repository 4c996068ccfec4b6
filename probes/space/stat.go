package space

import (
	"errors"
	"os"
	"strconv"
	"strings"
)

// A Stat is what /proc/PID/stat tells of a process that somebody has asked for.
type Stat struct {
	Name   string
	State  byte // R, S, …; Z if it is dead and has not been asked for yet
	Parent int
	Flags  uint64
	Born   uint64 // in hundredths of a second since the machine was started
}

// errStat is what Stat returns of a text that makes no sense.
var errStat = errors.New("its stat file makes no sense")

// Stat reads what is told of the process.
func (p Process) Stat() (Stat, error) {
	text, err := os.ReadFile(p.dir("/stat"))
	if err != nil {
		return Stat{}, err
	}
	return parseStat(string(text))
}

// parseStat reads /proc/PID/stat: the name stands in parentheses and may hold
// anything; behind it the state is the first field, the parent the 2nd, the flags are
// the 7th and the time of birth is the 20th.
func parseStat(text string) (s Stat, err error) {
	from, to := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if from < 0 || to < from {
		return s, errStat
	}
	rest := strings.Fields(text[to+1:])
	if len(rest) < 20 {
		return s, errStat
	}
	s.Name, s.State = text[from+1:to], rest[0][0]
	var errs [3]error
	s.Parent, errs[0] = strconv.Atoi(rest[1])
	s.Flags, errs[1] = strconv.ParseUint(rest[6], 10, 64)
	s.Born, errs[2] = strconv.ParseUint(rest[19], 10, 64)
	if errors.Join(errs[:]...) != nil {
		return Stat{}, errStat
	}
	return s, nil
}
