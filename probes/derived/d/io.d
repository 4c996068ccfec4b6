/* what is asked of disks: each request with its buffer, its device and its file */
provider io {
	/* A block of data is asked for. */
	probe start(struct bio *B) : (bufinfo_t *B, devinfo_t *B, fileinfo_t *B)
		= rawtp:::block_bio_queue (args[0]);

	/*
	 * A block of data has been moved, or could not be: b_error. Of blocks that were
	 * moved by one request the first four fire.
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
		+ rawtp:::block_bio_complete (args[1]);

	/* The thread begins to wait for a block that it has asked for. */
	probe wait-start(struct bio *B) : (bufinfo_t *B, devinfo_t *B, fileinfo_t *B)
		= fbt:vmlinux:submit_bio_wait:entry (args[0])
		| rawtp:::block_bio_queue /(uintptr_t)args[0]->bi_end_io == (uintptr_t)&`submit_bio_wait_endio/ (args[0]);

	/* The thread has the block that it was waiting for. */
	probe wait-done(struct bio *B) : (bufinfo_t *B, devinfo_t *B, fileinfo_t *B)
		= fbt:vmlinux:submit_bio_wait:return /self->wanted != NULL/ (self->wanted) { self->wanted = NULL; }
		| rawtp:::sched_exit_tp /args[0] && self->awaited != NULL && curthread->in_iowait/ (self->awaited) { self->awaited = NULL; };

	fbt:vmlinux:submit_bio_wait:entry { self->wanted = args[0]; }
	rawtp:::block_bio_queue /(uintptr_t)args[0]->bi_end_io == (uintptr_t)&`submit_bio_wait_endio/ { self->awaited = args[0]; }
};
