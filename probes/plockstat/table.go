package plockstat

import (
	"fmt"
	"slices"

	"dscope.dev/dlang/types"
)

// A mark is a probe: what its arguments are, and of what it is made.
type mark struct {
	name   string
	help   string
	args   []arg
	places []place
}

type arg struct {
	name string
	typ  types.Type
}

// A place is a set of functions that a mark is made of in the same way. All text is
// D; what self->… means stands with the states below.
type place struct {
	functions []string // empty: the system call futex
	what      string   // entry or return
	when      string
	values    []string
	then      []string
	needs     []string // the states that must have been noted
}

// The functions of the C library, by what they do.
var (
	locking   = []string{"pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_mutex_clocklock"}
	trying    = []string{"pthread_mutex_trylock"}
	unlocking = []string{"pthread_mutex_unlock"}
	waiting   = []string{"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"}
	reading   = []string{"pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_clockrdlock"}
	writing   = []string{"pthread_rwlock_wrlock", "pthread_rwlock_trywrlock", "pthread_rwlock_timedwrlock", "pthread_rwlock_clockwrlock"}
	asking    = append(slices.Clone(locking), trying...)
	entering  = append(slices.Clone(reading), writing...)
	leaving   = []string{"pthread_rwlock_unlock"}
)

// What pthread_mutex_t holds, from struct __pthread_mutex_s of the library's
// struct_mutex.h, the same on x86-64 and arm64: the lock, 0 while it is free; how
// often its owner holds it; the number of the owner; the kind; and the mean of the spins.
const (
	countAt = 4
	ownerAt = 8
	kindAt  = 16
	spinsAt = 20

	kindMask  = 127 // PTHREAD_MUTEX_KIND_MASK_NP and the bits beside it
	normal    = 0   // PTHREAD_MUTEX_TIMED_NP
	recursive = 1   // PTHREAD_MUTEX_RECURSIVE_NP
	adaptive  = 3   // PTHREAD_MUTEX_ADAPTIVE_NP
)

// What pthread_rwlock_t holds, from struct_rwlock.h: the thread that writes, 0 if
// none does; and how large it is.
const (
	writerAt = 24
	rwSize   = 56
)

// Errors that tell of no mistake: somebody else holds the lock; the owner has died
// and the lock is ours.
const (
	eBusy      = 16
	eOwnerDead = 130
	eTimedOut  = 110
)

// futexWaits is true of a call of futex that waits: its operation, without the flags, is
// FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET or FUTEX_LOCK_PI2.
const futexWaits = "((arg1 & 127) == 0 || (arg1 & 127) == 6 || (arg1 & 127) == 9 || (arg1 & 127) == 13)"

// onMutex and onRW are true if it waits for the lock that the thread is acquiring.
var (
	onMutex = "self->mutex != 0 && arg0 == self->mutex && " + futexWaits
	onRW    = fmt.Sprintf("self->rw != 0 && arg0 >= self->rw && arg0 < self->rw + %d && ", rwSize) + futexWaits
)

// spinning is true as a mutex is asked for that is taken and of the kind to spin for.
var spinning = fmt.Sprintf("(arg3 & %d) == %d && arg1 != 0", kindMask, adaptive)

// A release is told as it begins: when the function returns, another thread may have been told
// to have the mutex, and plockstat(1M) would take the time of the one for that of the other.
//
// keeping is true as a mutex is released that the thread holds once more. releasing is true if
// it is certain that this succeeds: of normal and adaptive mutexes the library does not ask who
// holds them, of the others it wants the owner. Where it is not certain (in a pid namespace the
// library numbers threads otherwise) the return tells, by what was noted; a probe cannot read
// what is noted where it fires itself.
var (
	kind     = fmt.Sprintf("(arg3 & %d)", kindMask)
	releases = []string{"self->left = arg0", "self->kind = " + kind, // read once
		"self->kept = " + keeping("self->kind"), "self->sure = " + releasing("self->kind")}
)

func keeping(kind string) string { return fmt.Sprintf("%s == %d && arg2 > 1", kind, recursive) }

func releasing(kind string) string {
	return fmt.Sprintf("(%s == %d || %s == %d || arg5 == tid)", kind, normal, kind, adaptive)
}

// begins notes that the thread begins to acquire a mutex.
func begins(mutex, spins string) []string {
	return []string{"self->mutex = " + mutex, "self->told = 0", "self->waited = 0", "self->vain = 0", "self->spins = " + spins}
}

// The states, by name. Variables of the thread begin as 0, so that a lock which was
// being acquired when tracing began is left out.
var states = map[string][]place{
	"mutex": { // which mutex the thread is acquiring
		{functions: locking, what: "entry", then: begins("arg0", spinning)},
		{functions: trying, what: "entry", then: begins("arg0", "0")},
		{functions: waiting, what: "entry", then: begins("arg1", "0")},
	},
	"mutex waited": {{what: "entry", when: onMutex, then: []string{"self->waited = 1"}}},
	"condition":    {{functions: waiting, what: "entry", then: []string{"self->condition = arg1"}}},
	"release":      {{functions: unlocking, what: "entry", then: releases}},
	"rw": {
		{functions: reading, what: "entry", then: []string{"self->rw = arg0", "self->writes = 0", "self->rwtold = 0", "self->rwwaited = 0"}},
		{functions: writing, what: "entry", then: []string{"self->rw = arg0", "self->writes = 1", "self->rwtold = 0", "self->rwwaited = 0"}},
	},
	"rw waited": {{what: "entry", when: onRW, then: []string{"self->rwwaited = 1"}}},
}

var (
	mutexArg  = arg{"mutex", types.UInt64}
	lockArg   = arg{"lock", types.UInt64}
	writerArg = arg{"writer", types.IntType}
	gotArg    = arg{"acquired", types.IntType}
	errorArg  = arg{"error", types.IntType}
)

// mutexAgain is whether the thread held the mutex before, and mutexSpins how long it spun.
var (
	mutexAgain = fmt.Sprintf("(*(int *)copyin(self->mutex + %d, 4) & %d) == %d && *(unsigned int *)copyin(self->mutex + %d, 4) > 1",
		kindAt, kindMask, recursive, countAt)
	mutexSpins = fmt.Sprintf("self->spins ? *(short *)copyin(self->mutex + %d, 2) : 0", spinsAt)
)

// got is true of a function that returns with a lock.
var got = fmt.Sprintf("(arg1 == 0 || arg1 == %d)", eOwnerDead)

// failed is true of one that returns with an error.
var failed = fmt.Sprintf("arg1 != 0 && arg1 != %d && arg1 != %d", eBusy, eOwnerDead)

// marks are the probes, in the order of their listing.
var marks = []mark{
	{"mutex-acquire", "the thread has acquired a mutex", []arg{mutexArg, {"again", types.IntType}, {"spins", types.IntType}}, []place{
		{functions: asking, what: "return", when: "self->mutex != 0 && " + got, values: []string{"self->mutex", mutexAgain, mutexSpins}, needs: []string{"mutex"}},
		{functions: waiting, what: "return", when: fmt.Sprintf("self->condition != 0 && (arg1 == 0 || arg1 == %d)", eTimedOut),
			values: []string{"self->condition", "0", "0"}, needs: []string{"condition"}},
	}},
	{"mutex-block", "the thread goes to sleep because another one holds the mutex", []arg{mutexArg}, []place{
		{what: "entry", when: onMutex + " && self->told == 0", values: []string{"self->mutex"}, then: []string{"self->told = 1"}, needs: []string{"mutex"}},
	}},
	{"mutex-blocked", "a thread that slept for a mutex goes on", []arg{mutexArg, gotArg}, []place{
		{functions: locking, what: "return", when: "self->waited != 0", values: []string{"self->mutex", got}, needs: []string{"mutex", "mutex waited"}},
		{functions: waiting, what: "return", when: "self->waited != 0", values: []string{"self->mutex", "1"}, needs: []string{"mutex", "mutex waited"}},
	}},
	{"mutex-error", "an operation on a mutex fails", []arg{mutexArg, errorArg}, []place{
		{functions: asking, what: "return", when: "self->mutex != 0 && " + failed, values: []string{"self->mutex", "arg1"}, needs: []string{"mutex"}},
		{functions: unlocking, what: "return", when: "self->left != 0 && arg1 != 0", values: []string{"self->left", "arg1"}, needs: []string{"release"}},
	}},
	{"mutex-release", "the thread releases a mutex", []arg{mutexArg, {"kept", types.IntType}}, []place{
		{functions: unlocking, what: "entry", when: releasing(kind), values: []string{"arg0", keeping(kind)}},
		{functions: unlocking, what: "return", when: "self->left != 0 && self->sure == 0 && arg1 == 0", values: []string{"self->left", "self->kept"}, needs: []string{"release"}},
		{functions: waiting, what: "entry", values: []string{"arg1", "0"}},
	}},
	{"mutex-spin", "the thread begins to spin because another one holds the mutex", []arg{mutexArg}, []place{
		{functions: locking, what: "entry", when: spinning, values: []string{"arg0"}},
	}},
	{"mutex-spun", "a thread that spun for a mutex has it, or goes to sleep", []arg{mutexArg, gotArg, {"spins", types.IntType}}, []place{
		{functions: locking, what: "return", when: "self->spins != 0 && self->waited == 0",
			values: []string{"self->mutex", "1", mutexSpins}, needs: []string{"mutex", "mutex waited"}},
		{what: "entry", when: onMutex + " && self->spins != 0 && self->vain == 0", values: []string{"self->mutex", "0", mutexSpins},
			then: []string{"self->vain = 1"}, needs: []string{"mutex"}},
	}},
	{"rw-acquire", "the thread has acquired a readers/writer lock", []arg{lockArg, writerArg}, []place{
		{functions: reading, what: "return", when: "self->rw != 0 && arg1 == 0", values: []string{"self->rw", "0"}, needs: []string{"rw"}},
		{functions: writing, what: "return", when: "self->rw != 0 && arg1 == 0", values: []string{"self->rw", "1"}, needs: []string{"rw"}},
	}},
	{"rw-block", "the thread goes to sleep because others hold the readers/writer lock", []arg{lockArg, writerArg}, []place{
		{what: "entry", when: onRW + " && self->rwtold == 0", values: []string{"self->rw", "self->writes"}, then: []string{"self->rwtold = 1"}, needs: []string{"rw"}},
	}},
	{"rw-blocked", "a thread that slept for a readers/writer lock goes on", []arg{lockArg, writerArg, gotArg}, []place{
		{functions: entering, what: "return", when: "self->rwwaited != 0",
			values: []string{"self->rw", "self->writes", "arg1 == 0"}, needs: []string{"rw", "rw waited"}},
	}},
	{"rw-error", "an operation on a readers/writer lock fails", []arg{lockArg, errorArg}, []place{
		{functions: entering, what: "return", when: "self->rw != 0 && " + failed, values: []string{"self->rw", "arg1"}, needs: []string{"rw"}},
	}},
	{"rw-release", "the thread releases a readers/writer lock", []arg{lockArg, writerArg}, []place{
		{functions: leaving, what: "entry", values: []string{"arg0", "arg4 != 0"}}, // the library lets none fail
	}},
}
