/* locks of the kernel: who waits for them, how long, and who takes them */
provider lockstat {
	/* A thread has a mutex that it spun for; the time is nanoseconds. */
	probe adaptive-spin(struct mutex *lock, uint64_t time)
		= rawtp:::contention_end /arg0 == self->mutex && !self->slept/ (args[0], timestamp - self->spun);

	/* A thread has a mutex that it slept for, or gave up; the time is nanoseconds. */
	probe adaptive-block(struct mutex *lock, uint64_t time)
		= rawtp:::contention_end /self->asleep && arg0 == self->sleeper/ (args[0], timestamp - self->asleep) { self->asleep = 0; };

	/* A CPU has a spin lock that it spun for; the time is nanoseconds. */
	probe spin-spin(spinlock_t *lock, uint64_t time)
		= rawtp:::contention_end /arg0 == self->spinlock/ (args[0], timestamp - self->spinning) { self->spinlock = 0; };

	/* A CPU has a spinning read-write lock that it spun for; the last argument is 1 for reading. */
	probe rw-spin(struct rwlock *lock, uint64_t time, int reader)
		= rawtp:::contention_end /arg0 == self->rwlock/ (args[0], timestamp - self->rwspinning, self->reader) { self->rwlock = 0; };

	/* A thread has a semaphore for reading or writing that it slept for, or gave up. */
	probe rw-block(struct rw_semaphore *lock, uint64_t time, int reader)
		= rawtp:::contention_end /arg0 == self->rwsem/ (args[0], timestamp - self->rwasleep, self->semreader) { self->rwsem = 0; };

	/* A thread takes a mutex. */
	probe adaptive-acquire(struct mutex *lock)
		= fbt:vmlinux:mutex_lock:return (self->wanted)
		+ fbt:vmlinux:mutex_trylock:return /(int)arg1 == 1/ (self->wanted)
		+ fbt:vmlinux:mutex_lock_interruptible:return /(int)arg1 == 0/ (self->wanted)
		+ fbt:vmlinux:mutex_lock_killable:return /(int)arg1 == 0/ (self->wanted)
		+ fbt:vmlinux:mutex_lock_io:return (self->wanted);

	/* A thread does not get a mutex because of the error. */
	probe adaptive-acquire-error(struct mutex *lock, int error)
		= fbt:vmlinux:mutex_lock_interruptible:return /(int)arg1 != 0/ (self->wanted, (int)arg1)
		+ fbt:vmlinux:mutex_lock_killable:return /(int)arg1 != 0/ (self->wanted, (int)arg1);

	/* A thread gives a mutex back. */
	probe adaptive-release(struct mutex *lock)
		= fbt:vmlinux:mutex_unlock:entry (args[0]);

	/* A CPU takes a spin lock. */
	probe spin-acquire(spinlock_t *lock)
		= fbt:vmlinux:_raw_spin_lock:return (self->spinwanted)
		+ fbt:vmlinux:_raw_spin_lock_irqsave:return (self->spinwanted)
		+ fbt:vmlinux:_raw_spin_lock_irq:return (self->spinwanted)
		+ fbt:vmlinux:_raw_spin_lock_bh:return (self->spinwanted)
		+ fbt:vmlinux:_raw_spin_trylock:return /(int)arg1 == 1/ (self->spinwanted);

	/* A CPU gives a spin lock back. */
	probe spin-release(spinlock_t *lock)
		= fbt:vmlinux:_raw_spin_unlock:entry (args[0])
		+ fbt:vmlinux:_raw_spin_unlock_irqrestore:entry (args[0])
		+ fbt:vmlinux:_raw_spin_unlock_irq:entry (args[0])
		+ fbt:vmlinux:_raw_spin_unlock_bh:entry (args[0])
		| fbt:vmlinux:_raw_spin_unlock_irqrestore:entry (args[0])
		+ fbt:vmlinux:_raw_spin_unlock_irq:entry (args[0])
		+ fbt:vmlinux:_raw_spin_unlock_bh:entry (args[0]);

	/* A CPU takes a spinning read-write lock; the last argument is 1 for reading. */
	probe rw-acquire(struct rwlock *lock, int reader)
		= fbt:vmlinux:_raw_read_lock:return (self->rwwanted, 1)
		+ fbt:vmlinux:_raw_read_lock_irqsave:return (self->rwwanted, 1)
		+ fbt:vmlinux:_raw_read_lock_irq:return (self->rwwanted, 1)
		+ fbt:vmlinux:_raw_read_lock_bh:return (self->rwwanted, 1)
		+ fbt:vmlinux:_raw_write_lock:return (self->rwwanted, 0)
		+ fbt:vmlinux:_raw_write_lock_irqsave:return (self->rwwanted, 0)
		+ fbt:vmlinux:_raw_write_lock_irq:return (self->rwwanted, 0)
		+ fbt:vmlinux:_raw_write_lock_bh:return (self->rwwanted, 0);

	/* A CPU gives a spinning read-write lock back; the last argument is 1 for reading. */
	probe rw-release(struct rwlock *lock, int reader)
		= fbt:vmlinux:_raw_read_unlock_irqrestore:entry (args[0], 1)
		+ fbt:vmlinux:_raw_read_unlock:entry (args[0], 1)
		+ fbt:vmlinux:_raw_read_unlock_irq:entry (args[0], 1)
		+ fbt:vmlinux:_raw_read_unlock_bh:entry (args[0], 1)
		+ fbt:vmlinux:_raw_write_unlock:entry (args[0], 0)
		+ fbt:vmlinux:_raw_write_unlock_irqrestore:entry (args[0], 0)
		+ fbt:vmlinux:_raw_write_unlock_irq:entry (args[0], 0)
		+ fbt:vmlinux:_raw_write_unlock_bh:entry (args[0], 0);

	/*
	 * The flags of contention_begin: 1 spins, 2 reads, 4 writes, 32 is of a mutex
	 * (trace/events/lock.h). A thread spins for a mutex before it sleeps, and again
	 * when it is the first of those that wait.
	 */
	rawtp:::contention_begin /args[1] == 33/ { self->mutex = arg0; self->spun = timestamp; self->slept = 0; }
	rawtp:::contention_begin /args[1] == 32/ { self->slept = 1; }
	rawtp:::contention_begin /args[1] == 32 && !(self->asleep && arg0 == self->sleeper)/ { self->sleeper = arg0; self->asleep = timestamp; }
	rawtp:::contention_begin /args[1] == 1/ { self->spinlock = arg0; self->spinning = timestamp; }
	rawtp:::contention_begin /args[1] == 3 || args[1] == 5/ { self->rwlock = arg0; self->rwspinning = timestamp; self->reader = args[1] == 3; }
	rawtp:::contention_begin /args[1] == 2 || args[1] == 4/ { self->rwsem = arg0; self->rwasleep = timestamp; self->semreader = args[1] == 2; }

	fbt:vmlinux:mutex_lock:entry { self->wanted = args[0]; }
	fbt:vmlinux:mutex_trylock:entry { self->wanted = args[0]; }
	fbt:vmlinux:mutex_lock_interruptible:entry { self->wanted = args[0]; }
	fbt:vmlinux:mutex_lock_killable:entry { self->wanted = args[0]; }
	fbt:vmlinux:mutex_lock_io:entry { self->wanted = args[0]; }
	fbt:vmlinux:_raw_spin_lock:entry { self->spinwanted = arg0; }
	fbt:vmlinux:_raw_spin_lock_irqsave:entry { self->spinwanted = arg0; }
	fbt:vmlinux:_raw_spin_lock_irq:entry { self->spinwanted = arg0; }
	fbt:vmlinux:_raw_spin_lock_bh:entry { self->spinwanted = arg0; }
	fbt:vmlinux:_raw_spin_trylock:entry { self->spinwanted = arg0; }
	fbt:vmlinux:_raw_read_lock:entry { self->rwwanted = arg0; }
	fbt:vmlinux:_raw_read_lock_irqsave:entry { self->rwwanted = arg0; }
	fbt:vmlinux:_raw_read_lock_irq:entry { self->rwwanted = arg0; }
	fbt:vmlinux:_raw_read_lock_bh:entry { self->rwwanted = arg0; }
	fbt:vmlinux:_raw_write_lock:entry { self->rwwanted = arg0; }
	fbt:vmlinux:_raw_write_lock_irqsave:entry { self->rwwanted = arg0; }
	fbt:vmlinux:_raw_write_lock_irq:entry { self->rwwanted = arg0; }
	fbt:vmlinux:_raw_write_lock_bh:entry { self->rwwanted = arg0; }
};
