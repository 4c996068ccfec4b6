/* what programs ask of files and folders, by the operations of illumos's file systems; args[0] is the file, <none> where only a name is known */
provider fsinfo {
	/* A file has been opened. */
	probe open(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:openat:return /args[1] >= 0 && FD_FILE[args[1]] != NULL/ (FD_FILE[args[1]], 0)
		+ syscall:vmlinux:openat2:return /args[1] >= 0 && FD_FILE[args[1]] != NULL/ (FD_FILE[args[1]], 0)
		+ syscall:vmlinux:open:return /args[1] >= 0 && FD_FILE[args[1]] != NULL/ (FD_FILE[args[1]], 0)
		+ syscall:vmlinux:creat:return /args[1] >= 0 && FD_FILE[args[1]] != NULL/ (FD_FILE[args[1]], 0);

	/* A file that was not there has been made, and opened. */
	probe create(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:openat:return /args[1] >= 0 && FD_FILE[args[1]] != NULL && (FD_FILE[args[1]]->f_mode & 0x100000)/ (FD_FILE[args[1]], 0)
		+ syscall:vmlinux:openat2:return /args[1] >= 0 && FD_FILE[args[1]] != NULL && (FD_FILE[args[1]]->f_mode & 0x100000)/ (FD_FILE[args[1]], 0)
		+ syscall:vmlinux:open:return /args[1] >= 0 && FD_FILE[args[1]] != NULL && (FD_FILE[args[1]]->f_mode & 0x100000)/ (FD_FILE[args[1]], 0)
		+ syscall:vmlinux:creat:return /args[1] >= 0 && FD_FILE[args[1]] != NULL && (FD_FILE[args[1]]->f_mode & 0x100000)/ (FD_FILE[args[1]], 0);

	/* A program gives a file back. */
	probe close(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:close:entry /FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]], 0);

	/* A program has read from a file; args[1] is how many bytes. */
	probe read(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:read:return /self->reading != NULL/ (self->reading, args[1] > 0 ? args[1] : 0) { self->reading = NULL; }
		+ syscall:vmlinux:pread64:return /self->reading != NULL/ (self->reading, args[1] > 0 ? args[1] : 0) { self->reading = NULL; }
		+ syscall:vmlinux:readv:return /self->reading != NULL/ (self->reading, args[1] > 0 ? args[1] : 0) { self->reading = NULL; }
		+ syscall:vmlinux:preadv:return /self->reading != NULL/ (self->reading, args[1] > 0 ? args[1] : 0) { self->reading = NULL; }
		+ syscall:vmlinux:preadv2:return /self->reading != NULL/ (self->reading, args[1] > 0 ? args[1] : 0) { self->reading = NULL; };

	/* A program has written to a file; args[1] is how many bytes. */
	probe write(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:write:return /self->writing != NULL/ (self->writing, args[1] > 0 ? args[1] : 0) { self->writing = NULL; }
		+ syscall:vmlinux:pwrite64:return /self->writing != NULL/ (self->writing, args[1] > 0 ? args[1] : 0) { self->writing = NULL; }
		+ syscall:vmlinux:writev:return /self->writing != NULL/ (self->writing, args[1] > 0 ? args[1] : 0) { self->writing = NULL; }
		+ syscall:vmlinux:pwritev:return /self->writing != NULL/ (self->writing, args[1] > 0 ? args[1] : 0) { self->writing = NULL; }
		+ syscall:vmlinux:pwritev2:return /self->writing != NULL/ (self->writing, args[1] > 0 ? args[1] : 0) { self->writing = NULL; };

	/* A program has read names of a folder; args[1] is how many bytes. */
	probe readdir(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:getdents64:return /self->listing != NULL/ (self->listing, args[1] > 0 ? args[1] : 0) { self->listing = NULL; }
		+ syscall:vmlinux:getdents:return /self->listing != NULL/ (self->listing, args[1] > 0 ? args[1] : 0) { self->listing = NULL; };

	/* A program asks a device, or a file system, for what it alone knows. */
	probe ioctl(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:ioctl:entry /FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]], 0);

	/* A program wants to be sure that a file is on its disk. */
	probe fsync(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:fsync:entry /FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]], 0)
		+ syscall:vmlinux:fdatasync:entry /FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]], 0);

	/* A program moves to another place of a file. */
	probe seek(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:lseek:entry /FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]], 0);

	/* A program reserves or frees room of a file. */
	probe space(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:fallocate:entry /FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]], 0)
		+ syscall:vmlinux:ftruncate:entry /FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]], 0);

	/* A program maps a file into its memory. */
	probe map(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:mmap:entry /!(args[3] & 0x20) && FD_FILE[args[4]] != NULL/ (FD_FILE[args[4]], 0);

	/* A program changes how a file is used: O_NONBLOCK, O_APPEND. */
	probe setfl(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:fcntl:entry /args[1] == 4 && FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]], 0);

	/* A program locks a file, or a part of one, or looks whether it is. */
	probe frlock(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:fcntl:entry /(args[1] >= 5 && args[1] <= 7 || args[1] >= 36 && args[1] <= 38) && FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]], 0)
		+ syscall:vmlinux:flock:entry /FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]], 0);

	/* A program asks what a file is: its size, its owner. What is asked by a name has no file. */
	probe getattr(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:newfstat:entry /FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]], 0)
		+ syscall:vmlinux:newfstatat:entry ((struct file *)(args[3] & 0x1000 ? (uintptr_t)FD_FILE[args[0]] : 0), 0)
		+ syscall:vmlinux:statx:entry ((struct file *)(args[2] & 0x1000 ? (uintptr_t)FD_FILE[args[0]] : 0), 0)
		+ syscall:vmlinux:newstat:entry (NULL, 0)
		+ syscall:vmlinux:newlstat:entry (NULL, 0);

	/* A program changes mode, owner or times of a file. */
	probe setattr(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:fchmod:entry /FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]], 0)
		+ syscall:vmlinux:fchown:entry /FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]], 0)
		+ syscall:vmlinux:fchmodat:entry (NULL, 0)
		+ syscall:vmlinux:fchownat:entry (NULL, 0)
		+ syscall:vmlinux:utimensat:entry (NULL, 0)
		+ syscall:vmlinux:chmod:entry (NULL, 0)
		+ syscall:vmlinux:chown:entry (NULL, 0)
		+ syscall:vmlinux:lchown:entry (NULL, 0);

	/* A program asks whether it may use a file. */
	probe access(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:faccessat:entry (NULL, 0)
		+ syscall:vmlinux:faccessat2:entry (NULL, 0)
		+ syscall:vmlinux:access:entry (NULL, 0);

	/* A program removes a name. */
	probe remove(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:unlinkat:entry /!(args[2] & 0x200)/ (NULL, 0)
		+ syscall:vmlinux:unlink:entry (NULL, 0);

	/* A program removes a folder. */
	probe rmdir(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:unlinkat:entry /args[2] & 0x200/ (NULL, 0)
		+ syscall:vmlinux:rmdir:entry (NULL, 0);

	/* A program makes a folder. */
	probe mkdir(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:mkdirat:entry (NULL, 0)
		+ syscall:vmlinux:mkdir:entry (NULL, 0);

	/* A program gives a file one more name. */
	probe link(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:linkat:entry (NULL, 0)
		+ syscall:vmlinux:link:entry (NULL, 0);

	/* A program makes a name that stands for another. */
	probe symlink(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:symlinkat:entry (NULL, 0)
		+ syscall:vmlinux:symlink:entry (NULL, 0);

	/* A program asks what a name stands for. */
	probe readlink(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:readlinkat:entry (NULL, 0)
		+ syscall:vmlinux:readlink:entry (NULL, 0);

	/* A program gives a file another name. */
	probe rename(struct file *F, long N) : (fileinfo_t *F, long N)
		= syscall:vmlinux:renameat2:entry (NULL, 0)
		+ syscall:vmlinux:renameat:entry (NULL, 0)
		+ syscall:vmlinux:rename:entry (NULL, 0);

	syscall:vmlinux:read:entry { self->reading = FD_FILE[args[0]]; }
	syscall:vmlinux:pread64:entry { self->reading = FD_FILE[args[0]]; }
	syscall:vmlinux:readv:entry { self->reading = FD_FILE[args[0]]; }
	syscall:vmlinux:preadv:entry { self->reading = FD_FILE[args[0]]; }
	syscall:vmlinux:preadv2:entry { self->reading = FD_FILE[args[0]]; }
	syscall:vmlinux:write:entry { self->writing = FD_FILE[args[0]]; }
	syscall:vmlinux:pwrite64:entry { self->writing = FD_FILE[args[0]]; }
	syscall:vmlinux:writev:entry { self->writing = FD_FILE[args[0]]; }
	syscall:vmlinux:pwritev:entry { self->writing = FD_FILE[args[0]]; }
	syscall:vmlinux:pwritev2:entry { self->writing = FD_FILE[args[0]]; }
	syscall:vmlinux:getdents64:entry { self->listing = FD_FILE[args[0]]; }
	syscall:vmlinux:getdents:entry { self->listing = FD_FILE[args[0]]; }
};
