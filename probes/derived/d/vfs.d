/* what file systems do, by the names of FreeBSD's; args[0] is the inode that stands for a vnode, args[1] the name (args[1]->d_name.name) */
provider vfs {
	/* A path is looked up. */
	probe namei:lookup:entry(struct inode *DVP, char *path, unsigned int flags)
		= fbt:vmlinux:filename_lookup:entry (NULL, args[1]->name, args[2])
		+ fbt:vmlinux:do_filp_open:entry (NULL, args[1]->name, 0)
		+ fbt:vmlinux:do_file_open:entry (NULL, args[1]->name, 0);

	/* A path has been looked up: the error, or 0. */
	probe namei:lookup:return(int error, struct inode *VP)
		= fbt:vmlinux:filename_lookup:return (args[1] < 0 ? -args[1] : 0, NULL)
		+ fbt:vmlinux:do_filp_open:return ((uintptr_t)args[1] >= (uintptr_t)-4095 ? -(int64_t)args[1] : 0, (struct inode *)((uintptr_t)args[1] >= (uintptr_t)-4095 ? 0 : (uintptr_t)args[1]->f_inode))
		+ fbt:vmlinux:do_file_open:return ((uintptr_t)args[1] >= (uintptr_t)-4095 ? -(int64_t)args[1] : 0, (struct inode *)((uintptr_t)args[1] >= (uintptr_t)-4095 ? 0 : (uintptr_t)args[1]->f_inode));

	/* A file is read. */
	probe vop:vop_read:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:vfs_read:entry (args[0]->f_inode, args[0]->f_path.dentry)
		+ fbt:vmlinux:vfs_readv:entry (args[0]->f_inode, args[0]->f_path.dentry);

	/* The call has ended: args[2] is the error, or 0, args[3] how many bytes were moved. */
	probe vop:vop_read:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:vfs_read:return /self->read_d != NULL/ (self->read_v, self->read_d, args[1] < 0 ? -args[1] : 0, args[1] > 0 ? args[1] : 0) { self->read_d = NULL; self->read_v = NULL; }
		+ fbt:vmlinux:vfs_readv:return /self->read_d != NULL/ (self->read_v, self->read_d, args[1] < 0 ? -args[1] : 0, args[1] > 0 ? args[1] : 0) { self->read_d = NULL; self->read_v = NULL; };

	/* A file is written to. */
	probe vop:vop_write:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:vfs_write:entry (args[0]->f_inode, args[0]->f_path.dentry)
		+ fbt:vmlinux:vfs_writev:entry (args[0]->f_inode, args[0]->f_path.dentry);

	/* The call has ended: args[2] is the error, or 0, args[3] how many bytes were moved. */
	probe vop:vop_write:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:vfs_write:return /self->write_d != NULL/ (self->write_v, self->write_d, args[1] < 0 ? -args[1] : 0, args[1] > 0 ? args[1] : 0) { self->write_d = NULL; self->write_v = NULL; }
		+ fbt:vmlinux:vfs_writev:return /self->write_d != NULL/ (self->write_v, self->write_d, args[1] < 0 ? -args[1] : 0, args[1] > 0 ? args[1] : 0) { self->write_d = NULL; self->write_v = NULL; };

	/* A file is opened. */
	probe vop:vop_open:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:vfs_open:entry (args[0]->dentry->d_inode, args[0]->dentry);

	/* The call has ended: args[2] is the error, or 0. */
	probe vop:vop_open:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:vfs_open:return /self->open_d != NULL/ (self->open_v, self->open_d, args[1] < 0 ? -args[1] : 0, 0) { self->open_d = self->open_od; self->open_v = self->open_ov; self->open_od = NULL; self->open_ov = NULL; };

	/* Nobody has a file open any more. One that could not be opened does not count. */
	probe vop:vop_close:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:__fput:entry /args[0]->f_mode & 0x80000/ (args[0]->f_inode, args[0]->f_path.dentry);

	/* The call has ended: args[2] is the error, or 0. */
	probe vop:vop_close:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:__fput:return /self->close_d != NULL/ (self->close_v, self->close_d, 0, 0) { self->close_d = NULL; self->close_v = NULL; };

	/* Names of a folder are read. */
	probe vop:vop_readdir:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:iterate_dir:entry (args[0]->f_inode, args[0]->f_path.dentry);

	/* The call has ended: args[2] is the error, or 0. */
	probe vop:vop_readdir:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:iterate_dir:return /self->readdir_d != NULL/ (self->readdir_v, self->readdir_d, args[1] < 0 ? -args[1] : 0, 0) { self->readdir_d = self->readdir_od; self->readdir_v = self->readdir_ov; self->readdir_od = NULL; self->readdir_ov = NULL; };

	/* A program wants to be sure that a file is on its disk. */
	probe vop:vop_fsync:entry(struct inode *VP, struct dentry *DP)
		= syscall:vmlinux:fsync:entry /FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]]->f_inode, FD_FILE[args[0]]->f_path.dentry)
		+ syscall:vmlinux:fdatasync:entry /FD_FILE[args[0]] != NULL/ (FD_FILE[args[0]]->f_inode, FD_FILE[args[0]]->f_path.dentry);

	/* The call has ended: args[2] is the error, or 0. */
	probe vop:vop_fsync:return(struct inode *VP, struct dentry *DP, int error, long N)
		= syscall:vmlinux:fsync:return /self->fsync_f != NULL/ (self->fsync_f->f_inode, self->fsync_f->f_path.dentry, args[1] < 0 ? -args[1] : 0, 0) { self->fsync_f = NULL; }
		+ syscall:vmlinux:fdatasync:return /self->fsync_f != NULL/ (self->fsync_f->f_inode, self->fsync_f->f_path.dentry, args[1] < 0 ? -args[1] : 0, 0) { self->fsync_f = NULL; };

	/* Mode, owner, size or times of a file are changed. */
	probe vop:vop_setattr:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:notify_change:entry (args[1]->d_inode, args[1]);

	/* The call has ended: args[2] is the error, or 0. */
	probe vop:vop_setattr:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:notify_change:return /self->setattr_d != NULL/ (self->setattr_v, self->setattr_d, args[1] < 0 ? -args[1] : 0, 0) { self->setattr_d = self->setattr_od; self->setattr_v = self->setattr_ov; self->setattr_od = NULL; self->setattr_ov = NULL; };

	/* A folder is made: the first argument is the one that it comes into. */
	probe vop:vop_mkdir:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:vfs_mkdir:entry (args[1], args[2]);

	/* The call has ended: args[2] is the error, or 0. */
	probe vop:vop_mkdir:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:vfs_mkdir:return /self->mkdir_d != NULL/ (self->mkdir_v, self->mkdir_d, (int64_t)args[1] < 0 && (int64_t)args[1] >= -4095 ? -(int64_t)args[1] : 0, 0) { self->mkdir_d = self->mkdir_od; self->mkdir_v = self->mkdir_ov; self->mkdir_od = NULL; self->mkdir_ov = NULL; };

	/* A folder is removed: the first argument is the one that it is in. */
	probe vop:vop_rmdir:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:vfs_rmdir:entry (args[1], args[2]);

	/* The call has ended: args[2] is the error, or 0. */
	probe vop:vop_rmdir:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:vfs_rmdir:return /self->rmdir_d != NULL/ (self->rmdir_v, self->rmdir_d, args[1] < 0 ? -args[1] : 0, 0) { self->rmdir_d = self->rmdir_od; self->rmdir_v = self->rmdir_ov; self->rmdir_od = NULL; self->rmdir_ov = NULL; };

	/* A name is removed: the first argument is the folder that it is in. */
	probe vop:vop_remove:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:vfs_unlink:entry (args[1], args[2]);

	/* The call has ended: args[2] is the error, or 0. */
	probe vop:vop_remove:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:vfs_unlink:return /self->remove_d != NULL/ (self->remove_v, self->remove_d, args[1] < 0 ? -args[1] : 0, 0) { self->remove_d = self->remove_od; self->remove_v = self->remove_ov; self->remove_od = NULL; self->remove_ov = NULL; };

	/* A name is changed: the first argument is the folder that it was in. */
	probe vop:vop_rename:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:vfs_rename:entry (args[0]->old_dentry->d_parent->d_inode, args[0]->old_dentry);

	/* The call has ended: args[2] is the error, or 0. */
	probe vop:vop_rename:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:vfs_rename:return /self->rename_d != NULL/ (self->rename_v, self->rename_d, args[1] < 0 ? -args[1] : 0, 0) { self->rename_d = self->rename_od; self->rename_v = self->rename_ov; self->rename_od = NULL; self->rename_ov = NULL; };

	/* A file gets one more name: the first argument is the folder of that. */
	probe vop:vop_link:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:vfs_link:entry (args[2], args[3]);

	/* The call has ended: args[2] is the error, or 0. */
	probe vop:vop_link:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:vfs_link:return /self->link_d != NULL/ (self->link_v, self->link_d, args[1] < 0 ? -args[1] : 0, 0) { self->link_d = self->link_od; self->link_v = self->link_ov; self->link_od = NULL; self->link_ov = NULL; };

	/* A name that stands for another is made: the first argument is its folder. */
	probe vop:vop_symlink:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:vfs_symlink:entry (args[1], args[2]);

	/* The call has ended: args[2] is the error, or 0. */
	probe vop:vop_symlink:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:vfs_symlink:return /self->symlink_d != NULL/ (self->symlink_v, self->symlink_d, args[1] < 0 ? -args[1] : 0, 0) { self->symlink_d = self->symlink_od; self->symlink_v = self->symlink_ov; self->symlink_od = NULL; self->symlink_ov = NULL; };

	/* A file has attributes read: stat(2) and what follows it. */
	probe vop:vop_getattr:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:vfs_getattr_nosec:entry (args[0]->dentry->d_inode, args[0]->dentry);

	/* The call has ended: args[2] is the error, or 0. */
	probe vop:vop_getattr:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:vfs_getattr_nosec:return /self->getattr_d != NULL/ (self->getattr_v, self->getattr_d, args[1] < 0 ? -args[1] : 0, 0) { self->getattr_d = self->getattr_od; self->getattr_v = self->getattr_ov; self->getattr_od = NULL; self->getattr_ov = NULL; };

	/* A program reads where a symbolic link points to. What a path leads through does not count. */
	probe vop:vop_readlink:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:vfs_readlink:entry (args[0]->d_inode, args[0]);

	/* The call has ended: args[2] is the error, or 0, args[3] how long the target is. */
	probe vop:vop_readlink:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:vfs_readlink:return /self->readlink_d != NULL/ (self->readlink_v, self->readlink_d, args[1] < 0 ? -args[1] : 0, args[1] > 0 ? args[1] : 0) { self->readlink_d = self->readlink_od; self->readlink_v = self->readlink_ov; self->readlink_od = NULL; self->readlink_ov = NULL; };

	/* A file is about to be made, and the kernel asks whether it may be: the first argument is the folder that it comes into. */
	probe vop:vop_create:entry(struct inode *VP, struct dentry *DP)
		= fbt:vmlinux:security_inode_create:entry (args[0], args[1]);

	/* The call that makes it has ended, an open() with all that it does: args[2] is the error, or 0. */
	probe vop:vop_create:return(struct inode *VP, struct dentry *DP, int error, long N)
		= fbt:vmlinux:vfs_create:return /self->create_d != NULL/ (self->create_v, self->create_d, args[1] < 0 ? -args[1] : 0, 0) { self->create_d = self->create_od; self->create_v = self->create_ov; self->create_od = NULL; self->create_ov = NULL; }
		+ fbt:vmlinux:do_filp_open:return /self->create_d != NULL/ (self->create_v, self->create_d, (uintptr_t)args[1] >= (uintptr_t)-4095 ? -(int64_t)args[1] : 0, 0) { self->create_d = self->create_od; self->create_v = self->create_ov; self->create_od = NULL; self->create_ov = NULL; }
		+ fbt:vmlinux:do_file_open:return /self->create_d != NULL/ (self->create_v, self->create_d, (uintptr_t)args[1] >= (uintptr_t)-4095 ? -(int64_t)args[1] : 0, 0) { self->create_d = self->create_od; self->create_v = self->create_ov; self->create_od = NULL; self->create_ov = NULL; };

	/*
	 * One file system may lie over another: then a call is made within one of the same
	 * name, and its outer file is kept beside it until it has ended. The kernel lets no
	 * more than two lie over a third, of which the outermost is lost.
	 */
	fbt:vmlinux:vfs_getattr_nosec:entry { self->getattr_ov = self->getattr_v; self->getattr_od = self->getattr_d; self->getattr_v = args[0]->dentry->d_inode; self->getattr_d = args[0]->dentry; }
	fbt:vmlinux:vfs_readlink:entry { self->readlink_ov = self->readlink_v; self->readlink_od = self->readlink_d; self->readlink_v = args[0]->d_inode; self->readlink_d = args[0]; }
	fbt:vmlinux:security_inode_create:entry { self->create_ov = self->create_v; self->create_od = self->create_d; self->create_v = args[0]; self->create_d = args[1]; }
	fbt:vmlinux:vfs_read:entry { self->read_v = args[0]->f_inode; self->read_d = args[0]->f_path.dentry; }
	fbt:vmlinux:vfs_readv:entry { self->read_v = args[0]->f_inode; self->read_d = args[0]->f_path.dentry; }
	fbt:vmlinux:vfs_write:entry { self->write_v = args[0]->f_inode; self->write_d = args[0]->f_path.dentry; }
	fbt:vmlinux:vfs_writev:entry { self->write_v = args[0]->f_inode; self->write_d = args[0]->f_path.dentry; }
	fbt:vmlinux:vfs_open:entry { self->open_ov = self->open_v; self->open_od = self->open_d; self->open_v = args[0]->dentry->d_inode; self->open_d = args[0]->dentry; }
	fbt:vmlinux:__fput:entry { self->close_v = args[0]->f_inode; self->close_d = args[0]->f_path.dentry; }
	fbt:vmlinux:iterate_dir:entry { self->readdir_ov = self->readdir_v; self->readdir_od = self->readdir_d; self->readdir_v = args[0]->f_inode; self->readdir_d = args[0]->f_path.dentry; }
	syscall:vmlinux:fsync:entry { self->fsync_f = FD_FILE[args[0]]; }
	syscall:vmlinux:fdatasync:entry { self->fsync_f = FD_FILE[args[0]]; }
	fbt:vmlinux:notify_change:entry { self->setattr_ov = self->setattr_v; self->setattr_od = self->setattr_d; self->setattr_v = args[1]->d_inode; self->setattr_d = args[1]; }
	fbt:vmlinux:vfs_mkdir:entry { self->mkdir_ov = self->mkdir_v; self->mkdir_od = self->mkdir_d; self->mkdir_v = args[1]; self->mkdir_d = args[2]; }
	fbt:vmlinux:vfs_rmdir:entry { self->rmdir_ov = self->rmdir_v; self->rmdir_od = self->rmdir_d; self->rmdir_v = args[1]; self->rmdir_d = args[2]; }
	fbt:vmlinux:vfs_unlink:entry { self->remove_ov = self->remove_v; self->remove_od = self->remove_d; self->remove_v = args[1]; self->remove_d = args[2]; }
	fbt:vmlinux:vfs_rename:entry { self->rename_ov = self->rename_v; self->rename_od = self->rename_d; self->rename_v = args[0]->old_dentry->d_parent->d_inode; self->rename_d = args[0]->old_dentry; }
	fbt:vmlinux:vfs_link:entry { self->link_ov = self->link_v; self->link_od = self->link_d; self->link_v = args[2]; self->link_d = args[3]; }
	fbt:vmlinux:vfs_symlink:entry { self->symlink_ov = self->symlink_v; self->symlink_od = self->symlink_d; self->symlink_v = args[1]; self->symlink_d = args[2]; }
};
