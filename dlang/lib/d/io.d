/* Input and output: what the block layer moves, on which device, of which file. */

typedef struct bufinfo {
	int b_flags;			/* B_READ, B_WRITE, … */
	size_t b_bcount;		/* bytes of data to move; none where nothing but orders goes to the device */
	caddr_t b_addr;			/* where in memory, if that is known */
	uint64_t b_lblkno;		/* block of the file system */
	uint64_t b_blkno;		/* block of the device: 512 bytes each */
	size_t b_resid;			/* bytes not moved */
	size_t b_bufsize;		/* size of the buffer; for orders, how many bytes of the device they are about */
	caddr_t b_iodone;		/* what is called at the end */
	int b_error;			/* the error, if there was one */
	dev_t b_edev;			/* the device: getmajor(), getminor() */
} bufinfo_t;

typedef struct devinfo {
	int dev_major;			/* major number */
	int dev_minor;			/* minor number */
	int dev_instance;		/* Linux has none: 0 */
	string dev_name;		/* the name of the driver */
	string dev_statname;		/* the name of the device: sda1 */
	string dev_pathname;		/* its path: /dev/sda1 */
} devinfo_t;

typedef struct fileinfo {
	string fi_name;			/* the last part of fi_pathname */
	string fi_dirname;		/* the parts before */
	string fi_pathname;		/* the whole path */
	loff_t fi_offset;		/* where in the file */
	string fi_fs;			/* the kind of file system */
	string fi_mount;		/* where that is mounted */
	int fi_oflags;			/* how it was opened: O_RDONLY, … */
} fileinfo_t;

inline int B_BUSY = 0x000001;
inline int B_DONE = 0x000002;
inline int B_ERROR = 0x000004;
inline int B_PAGEIO = 0x000010;
inline int B_PHYS = 0x000020;
inline int B_READ = 0x000040;
inline int B_WRITE = 0x000100;
inline int B_ASYNC = 0x000400;

/* Flags of bi_opf, above the operation. */
inline int REQ_WRITE = 0x01;
inline int REQ_SYNC = 1 << __REQ_SYNC;
inline int REQ_PREFLUSH = 1 << __REQ_PREFLUSH;

/*
 * An operation moves data from the device or to it, or it is an order that moves none: to
 * discard, to erase, to fill with zeroes, to flush, to reset a zone. Numbers of orders may
 * be odd, as those of writes are, and the size that an order carries is that of the blocks
 * that it is about. Orders have neither B_READ nor B_WRITE, and nothing in b_bcount: who
 * sums bytes by "not read" counts no more than was written.
 */
inline int OP_READS[int O] = (O & 0xff) == REQ_OP_READ || (O & 0xff) == REQ_OP_DRV_IN;
inline int OP_WRITES[int O] = (O & 0xff) == REQ_OP_WRITE || (O & 0xff) == REQ_OP_ZONE_APPEND || (O & 0xff) == REQ_OP_DRV_OUT;

/* A flush by itself comes as a write that has no pages. */
inline int BIO_FLUSHES[struct bio *B] = (B->bi_opf & REQ_PREFLUSH) != 0 && B->bi_io_vec == NULL;
inline int BIO_READS[struct bio *B] = OP_READS[B->bi_opf];
inline int BIO_WRITES[struct bio *B] = OP_WRITES[B->bi_opf] && !BIO_FLUSHES[B];

/*
 * The flag of bi_flags that says that the data are memory of a process and not
 * of the page cache. Kernels before 6.5 do not tell.
 */
inline int BIO_PINNED = 1 << BIO_PAGE_PINNED;
inline int BIO_PINNED = 0;

/* Who answers for a major number: loop, ramdisk, device-mapper. */
inline string BDEV_MAJOR[struct block_device *D] =
    stringof((((struct blk_major_name **)&`major_names)[(D->bd_dev >> 20) % 255])->name);
inline string BDEV_MAJOR[struct block_device *D] = stringof(D->bd_disk->disk_name);

/* The driver of a disk: that of the device that the disk belongs to. */
inline string BDEV_DRIVER[struct block_device *D] =
    D->bd_disk->part0->bd_device.parent == NULL || D->bd_disk->part0->bd_device.parent->driver == NULL ?
    BDEV_MAJOR[D] : stringof(D->bd_disk->part0->bd_device.parent->driver->name);

/*
 * Not all that moves is a struct bio. What is asked of a server of files, and what XFS
 * waits for, are other structures; the probes say so by addr_kind(): 1 is to be read
 * from the server, 2 to be written there, 3 was read, 4 was written, 5 is a buffer of XFS.
 */
inline uintptr_t NFS_MARK[struct bio *B] = addr_kind(B) == 5 ? 0 : addr_kind(B);
inline uintptr_t XFS_MARK[struct bio *B] = addr_kind(B) == 5;
inline int IS_BIO[struct bio *B] = NFS_MARK[B] == 0 && XFS_MARK[B] == 0;

inline uintptr_t NFS_COUNT[struct bio *B] = NFS_MARK[B] > 2 ?
    ((struct nfs`nfs_pgio_header *)((uintptr_t)B - NFS_MARK[B]))->res.count :
    ((struct nfs`nfs_pgio_header *)((uintptr_t)B - NFS_MARK[B]))->args.count;
inline uintptr_t NFS_COUNT[struct bio *B] = 0;
inline loff_t NFS_OFFSET[struct bio *B] = ((struct nfs`nfs_pgio_header *)((uintptr_t)B - NFS_MARK[B]))->args.offset;
inline loff_t NFS_OFFSET[struct bio *B] = 0;
inline int NFS_ERROR[struct bio *B] = ((struct nfs`nfs_pgio_header *)((uintptr_t)B - NFS_MARK[B]))->error;
inline int NFS_ERROR[struct bio *B] = 0;
inline uintptr_t NFS_HOST[struct bio *B] = (uintptr_t)((struct nfs`nfs_pgio_header *)((uintptr_t)B - NFS_MARK[B]))->inode;
inline uintptr_t NFS_HOST[struct bio *B] = 0;
inline uint64_t NFS_FILE[struct bio *B] =
    ((struct nfs`nfs_inode *)(NFS_HOST[B] - offsetof(struct nfs`nfs_inode, vfs_inode)))->fileid;
inline uint64_t NFS_FILE[struct bio *B] = 0;
inline int NFS_FLAGS[struct bio *B] = (NFS_MARK[B] & 1 ? B_READ : B_WRITE) | B_ASYNC | B_PHYS;

inline int XFS_FLAGS[struct bio *B] = (((struct xfs`xfs_buf *)((uintptr_t)B - 5))->b_flags & 2 ? B_WRITE : B_READ) |
    (((struct xfs`xfs_buf *)((uintptr_t)B - 5))->b_flags & 16 ? B_ASYNC : 0) | B_PHYS;
inline int XFS_FLAGS[struct bio *B] = 0;
inline size_t XFS_COUNT[struct bio *B] = (size_t)((struct xfs`xfs_buf *)((uintptr_t)B - 5))->b_length << 9;
inline size_t XFS_COUNT[struct bio *B] = 0;
inline uint64_t XFS_BLOCK[struct bio *B] = ((struct xfs`xfs_buf *)((uintptr_t)B - 5))->b_maps->bm_bn;
inline uint64_t XFS_BLOCK[struct bio *B] = ((struct xfs`xfs_buf *)((uintptr_t)B - 5))->b_rhash_key;
inline uint64_t XFS_BLOCK[struct bio *B] = 0;
inline int XFS_ERROR[struct bio *B] = ((struct xfs`xfs_buf *)((uintptr_t)B - 5))->b_error;
inline int XFS_ERROR[struct bio *B] = 0;
inline uintptr_t XFS_BDEV[struct bio *B] = (uintptr_t)((struct xfs`xfs_buf *)((uintptr_t)B - 5))->b_target->bt_bdev;
inline uintptr_t XFS_BDEV[struct bio *B] = 0;

inline struct block_device *IO_BDEV[struct bio *B] =
    (struct block_device *)(NFS_MARK[B] ? 0 : XFS_MARK[B] ? XFS_BDEV[B] : (uintptr_t)B->bi_bdev);
inline uint64_t IO_BLOCK[struct bio *B] = NFS_MARK[B] ? NFS_FILE[B] : XFS_MARK[B] ? XFS_BLOCK[B] : B->bi_iter.bi_sector;
inline size_t IO_SIZE[struct bio *B] = NFS_MARK[B] ? NFS_COUNT[B] : XFS_MARK[B] ? XFS_COUNT[B] : B->bi_iter.bi_size;
inline size_t IO_COUNT[struct bio *B] = IS_BIO[B] && !OP_READS[B->bi_opf] && !OP_WRITES[B->bi_opf] ? 0 : IO_SIZE[B];
inline int IO_ERROR[struct bio *B] = NFS_MARK[B] ? NFS_ERROR[B] : XFS_MARK[B] ? XFS_ERROR[B] : B->bi_status;
inline int BIO_MEMORY[struct bio *B] = B->bi_flags & BIO_PINNED ? B_PHYS : B_PAGEIO;
inline int BIO_FLAGS[struct bio *B] = (B->bi_opf & REQ_SYNC ? 0 : B_ASYNC) |
    (BIO_READS[B] ? B_READ | BIO_MEMORY[B] : BIO_WRITES[B] ? B_WRITE | BIO_MEMORY[B] : 0);

translator bufinfo_t < struct bio *B > {
	b_flags = (NFS_MARK[B] ? NFS_FLAGS[B] : XFS_MARK[B] ? XFS_FLAGS[B] : BIO_FLAGS[B]) | (IO_ERROR[B] ? B_ERROR : 0);
	b_bcount = IO_COUNT[B];
	b_addr = 0;
	b_lblkno = IO_BLOCK[B];
	b_blkno = IO_BLOCK[B];
	b_resid = 0;
	b_bufsize = IO_SIZE[B];
	b_iodone = (caddr_t)(IS_BIO[B] ? (uintptr_t)B->bi_end_io : 0);
	b_error = IO_ERROR[B];
	b_edev = IO_BDEV[B] == NULL ? 0 : IO_BDEV[B]->bd_dev;
};

translator bufinfo_t < struct buffer_head *B > {
	b_flags = (int)arg1 & REQ_WRITE ? B_WRITE : B_READ;
	b_bcount = B->b_size;
	b_addr = B->b_data;
	b_lblkno = B->b_blocknr;
	b_blkno = B->b_blocknr;
	b_resid = 0;
	b_bufsize = B->b_size;
	b_iodone = (caddr_t)B->b_end_io;
	b_error = 0;
	b_edev = B->b_bdev->bd_dev;
};

inline int REQUEST_FLUSHES[struct request *R] = (R->cmd_flags & REQ_PREFLUSH) != 0 && R->__data_len == 0;

translator bufinfo_t < struct request *R > {
	b_flags = (OP_READS[R->cmd_flags] ? B_READ : OP_WRITES[R->cmd_flags] && !REQUEST_FLUSHES[R] ? B_WRITE : 0) | (R->cmd_flags & REQ_SYNC ? 0 : B_ASYNC) | B_PHYS;
	b_bcount = OP_READS[R->cmd_flags] || OP_WRITES[R->cmd_flags] ? R->__data_len : 0;
	b_addr = 0;
	b_lblkno = R->__sector;
	b_blkno = R->__sector;
	b_resid = 0;
	b_bufsize = R->__data_len;
	b_iodone = (caddr_t)R->end_io;
	b_error = 0;
	b_edev = R->part == NULL ? 0 : R->part->bd_dev;
};

translator devinfo_t < struct block_device *D > {
	dev_major = D == NULL ? 0 : D->bd_dev >> 20;
	dev_minor = D == NULL ? 0 : D->bd_dev & 0xfffff;
	dev_instance = 0;
	dev_name = D == NULL ? "nfs" : BDEV_DRIVER[D];
	dev_statname = D == NULL ? "nfs" : stringof(D->bd_device.kobj.name);
	dev_pathname = D == NULL ? "<nfs>" : strjoin("/dev/", stringof(D->bd_device.kobj.name));
};

translator devinfo_t < struct bio *B > {
	dev_major = xlate <devinfo_t> (IO_BDEV[B]).dev_major;
	dev_minor = xlate <devinfo_t> (IO_BDEV[B]).dev_minor;
	dev_instance = 0;
	dev_name = xlate <devinfo_t> (IO_BDEV[B]).dev_name;
	dev_statname = xlate <devinfo_t> (IO_BDEV[B]).dev_statname;
	dev_pathname = xlate <devinfo_t> (IO_BDEV[B]).dev_pathname;
};

translator devinfo_t < struct buffer_head *B > {
	dev_major = xlate <devinfo_t> (B->b_bdev).dev_major;
	dev_minor = xlate <devinfo_t> (B->b_bdev).dev_minor;
	dev_instance = 0;
	dev_name = xlate <devinfo_t> (B->b_bdev).dev_name;
	dev_statname = xlate <devinfo_t> (B->b_bdev).dev_statname;
	dev_pathname = xlate <devinfo_t> (B->b_bdev).dev_pathname;
};

translator devinfo_t < struct request *R > {
	dev_major = xlate <devinfo_t> (R->part).dev_major;
	dev_minor = xlate <devinfo_t> (R->part).dev_minor;
	dev_instance = 0;
	dev_name = xlate <devinfo_t> (R->part).dev_name;
	dev_statname = xlate <devinfo_t> (R->part).dev_statname;
	dev_pathname = xlate <devinfo_t> (R->part).dev_pathname;
};

/* The block layer does not know of which file the data are. */
translator fileinfo_t < struct buffer_head *B > {
	fi_name = "<unknown>";
	fi_dirname = "<unknown>";
	fi_pathname = "<unknown>";
	fi_offset = 0;
	fi_fs = "<unknown>";
	fi_mount = "<unknown>";
	fi_oflags = 0;
};

/*
 * The file of a block. What a program moves by itself past the page cache (O_DIRECT)
 * knows the open file. Else the first page knows the mapping that it is part of, which
 * knows the inode, which knows a name: one of them, if there are several. The two low
 * bits of a mapping are set where the page is of no file.
 */
inline struct file *BIO_FILE[struct bio *B] = (struct file *)(B->bi_end_io != NULL &&
    (uintptr_t)B->bi_end_io == (uintptr_t)&`iomap_dio_bio_end_io ? (uintptr_t)((struct iomap_dio *)B->bi_private)->iocb->ki_filp : 0);
inline struct file *BIO_FILE[struct bio *B] = (struct file *)0;

inline uintptr_t BIO_PAGE[struct bio *B] = B->bi_io_vec == NULL || B->bi_vcnt == 0 ? 0 : (uintptr_t)B->bi_io_vec->bv_page;
inline uintptr_t HEAD_OR[uintptr_t P, uintptr_t H] = H & 1 ? H - 1 : P;
inline uintptr_t PAGE_HEAD[uintptr_t P] = HEAD_OR[P, ((struct page *)P)->compound_head];
inline uintptr_t PAGE_HEAD[uintptr_t P] = HEAD_OR[P, ((struct page *)P)->compound_info];
inline uintptr_t FILE_MAPPING[uintptr_t M] = M & 3 ? 0 : M;
inline uintptr_t PAGE_MAPPING[uintptr_t P] = P == 0 ? 0 : FILE_MAPPING[(uintptr_t)((struct folio *)PAGE_HEAD[P])->mapping];
inline uintptr_t MAPPING_HOST[uintptr_t M] = M == 0 ? 0 : (uintptr_t)((struct address_space *)M)->host;
inline struct inode *BIO_INODE[struct bio *B] = (struct inode *)MAPPING_HOST[PAGE_MAPPING[BIO_PAGE[B]]];

/* What lies on the device itself, and on no file system, is of no file (BDEVFS_MAGIC). */
inline int FILE_NONE[struct file *F, struct inode *I] = F == NULL && (I == NULL || I->i_sb->s_magic == 0x62646576);
inline struct path *FILE_OPEN[struct file *F] = (struct path *)(F == NULL ? 0 : (uintptr_t)&F->f_path);
inline string FILE_PATH[struct file *F, struct inode *I] = FILE_NONE[F, I] ? "<none>" : inode_path(I, FILE_OPEN[F]);
inline string FILE_DIR[struct file *F, struct inode *I] = FILE_NONE[F, I] ? "<none>" : inode_dir(I, FILE_OPEN[F]);
inline string FILE_MOUNT[struct file *F, struct inode *I] = FILE_NONE[F, I] ? "<none>" : inode_mount(I, FILE_OPEN[F]);
inline string FILE_FS[struct file *F, struct inode *I] = F != NULL ? stringof(F->f_path.mnt->mnt_sb->s_type->name) :
    I == NULL ? "<none>" : stringof(I->i_sb->s_type->name);
inline loff_t PAGE_OFFSET[uintptr_t P] = PAGE_MAPPING[P] == 0 ? 0 : ((struct folio *)PAGE_HEAD[P])->index << 12;
inline loff_t FILE_OFFSET[struct file *F, uintptr_t P] = F != NULL ? F->f_pos : PAGE_OFFSET[P];
inline int FILE_FLAGS[struct file *F] = F != NULL ? F->f_flags : 0;

inline struct file *IO_FILE[struct bio *B] = (struct file *)(IS_BIO[B] ? (uintptr_t)BIO_FILE[B] : 0);
inline struct inode *IO_INODE[struct bio *B] = (struct inode *)(IS_BIO[B] ? (uintptr_t)BIO_INODE[B] : NFS_MARK[B] ? NFS_HOST[B] : 0);

translator fileinfo_t < struct bio *B > {
	fi_name = basename(FILE_PATH[IO_FILE[B], IO_INODE[B]]);
	fi_dirname = FILE_DIR[IO_FILE[B], IO_INODE[B]];
	fi_pathname = FILE_PATH[IO_FILE[B], IO_INODE[B]];
	fi_offset = NFS_MARK[B] ? NFS_OFFSET[B] : IS_BIO[B] ? FILE_OFFSET[BIO_FILE[B], BIO_PAGE[B]] : 0;
	fi_fs = FILE_FS[IO_FILE[B], IO_INODE[B]];
	fi_mount = FILE_MOUNT[IO_FILE[B], IO_INODE[B]];
	fi_oflags = FILE_FLAGS[IO_FILE[B]];
};

translator fileinfo_t < struct file *F > {
	fi_name = F == NULL ? "<none>" : stringof(F->f_path.dentry->d_name.name);
	fi_dirname = F == NULL ? "<none>" : dirname(d_path(&(F->f_path)));
	fi_pathname = F == NULL ? "<none>" : d_path(&(F->f_path));
	fi_offset = F == NULL ? 0 : F->f_pos;
	fi_fs = F == NULL ? "<none>" : stringof(F->f_path.mnt->mnt_sb->s_type->name);
	fi_mount = F == NULL ? "<none>" : inode_mount(NULL, &(F->f_path));
	fi_oflags = F == NULL ? 0 : F->f_flags;
};

/* What this process has open by a number, NULL if nothing. */
inline struct file *FD_FILE[int fd] = (struct file *)(fd >= 0 && curthread->files != NULL && fd < curthread->files->fdt->max_fds ?
    (uintptr_t)curthread->files->fdt->fd[fd] : 0);

inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (
    fd >= 0 && curthread->files != NULL && fd < curthread->files->fdt->max_fds ? curthread->files->fdt->fd[fd] : NULL);
#pragma D attributes Stable/Stable/Common fds
#pragma D binding "1.1" fds
