/* what is asked of disks, and of servers of files by NFS: each request with its buffer, its device and its file */
provider io {
	/*
	 * A block of data is asked for; or the device is told to discard, erase, zero or flush,
	 * which moves no data: then b_flags has neither B_READ nor B_WRITE, b_bcount is 0, and
	 * b_bufsize says how many bytes of the device are meant.
	 */
	probe start(struct bio *B) : (bufinfo_t *B, devinfo_t *B, fileinfo_t *B)
		= rawtp:::block_bio_queue (args[0])
		+ rawtp:nfs::nfs_initiate_read ((struct bio *)((uintptr_t)args[0] + 1))
		+ rawtp:nfs::nfs_initiate_write ((struct bio *)((uintptr_t)args[0] + 2));

	/*
	 * A block of data has been moved, or could not be: b_error. Of blocks that were
	 * moved by one request the first four fire. What moves no data ends here too: see
	 * start.
	 */
	probe done(struct bio *B) : (bufinfo_t *B, devinfo_t *B, fileinfo_t *B)
		= rawtp:::block_rq_complete /args[0]->bio != NULL/ (args[0]->bio)
		+ rawtp:::block_rq_complete
		    /args[0]->bio != NULL && args[0]->bio->bi_next != NULL && args[2] > args[0]->bio->bi_iter.bi_size/
		    (args[0]->bio->bi_next)
		+ rawtp:::block_rq_complete
		    /args[0]->bio != NULL && args[0]->bio->bi_next != NULL && args[0]->bio->bi_next->bi_next != NULL &&
		    args[2] > args[0]->bio->bi_iter.bi_size + args[0]->bio->bi_next->bi_iter.bi_size/
		    (args[0]->bio->bi_next->bi_next)
		+ rawtp:::block_rq_complete
		    /args[0]->bio != NULL && args[0]->bio->bi_next != NULL && args[0]->bio->bi_next->bi_next != NULL &&
		    args[0]->bio->bi_next->bi_next->bi_next != NULL && args[2] > args[0]->bio->bi_iter.bi_size +
		    args[0]->bio->bi_next->bi_iter.bi_size + args[0]->bio->bi_next->bi_next->bi_iter.bi_size/
		    (args[0]->bio->bi_next->bi_next->bi_next)
		+ rawtp:::block_bio_complete (args[1])
		+ rawtp:nfs::nfs_readpage_done ((struct bio *)((uintptr_t)args[1] + 3))
		+ rawtp:nfs::nfs_writeback_done ((struct bio *)((uintptr_t)args[1] + 4));

	/* The thread begins to wait for a block that it has asked for: to be flushed, directly from a device, by XFS. Not for pages of files. */
	probe wait-start(struct bio *B) : (bufinfo_t *B, devinfo_t *B, fileinfo_t *B)
		= fbt:vmlinux:submit_bio_wait:entry (args[0])
		+ rawtp:xfs::xfs_buf_iowait ((struct bio *)((uintptr_t)args[0] + 5))
		| rawtp:::block_bio_queue /(uintptr_t)args[0]->bi_end_io == (uintptr_t)&`submit_bio_wait_endio/ (args[0])
		+ rawtp:xfs::xfs_buf_iowait ((struct bio *)((uintptr_t)args[0] + 5));

	/* The thread has the block that it was waiting for. See wait-start. */
	probe wait-done(struct bio *B) : (bufinfo_t *B, devinfo_t *B, fileinfo_t *B)
		= fbt:vmlinux:submit_bio_wait:return /self->wanted != NULL/ (self->wanted) { self->wanted = NULL; }
		+ rawtp:xfs::xfs_buf_iowait_done ((struct bio *)((uintptr_t)args[0] + 5))
		| rawtp:::sched_exit_tp /args[0] && self->awaited != NULL && curthread->in_iowait/ (self->awaited) { self->awaited = NULL; }
		+ rawtp:xfs::xfs_buf_iowait_done ((struct bio *)((uintptr_t)args[0] + 5));

	fbt:vmlinux:submit_bio_wait:entry { self->wanted = args[0]; }
	rawtp:::block_bio_queue /(uintptr_t)args[0]->bi_end_io == (uintptr_t)&`submit_bio_wait_endio/ { self->awaited = args[0]; }
};
