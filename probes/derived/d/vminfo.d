/* what memory management counts, as vmstat(1M) does; arg0 is by how much a counter grows */
provider vminfo {
	/* A process touches an address that nothing is mapped to yet. */
	probe as_fault(int by)
		= rawtp:::page_fault_user (1)
		| fbt:vmlinux:handle_mm_fault:entry (1);

	/* The kernel touches an address that nothing is mapped to yet. */
	probe kernel_asflt(int by)
		= rawtp:::page_fault_kernel (1);

	/* A page has to be copied because it is written to and shared. */
	probe cow_fault(int by)
		= fbt:vmlinux:wp_page_copy:entry (1)
		| fbt:vmlinux:do_wp_page:entry (1)
		| rawtp:::page_fault_user /(args[2] & 3) == 3/ (1);

	/* A page has to be read from a disk before the process can go on (VM_FAULT_MAJOR). */
	probe maj_fault(int by)
		= fbt:vmlinux:handle_mm_fault:return /arg1 & 4/ (1);

	/* A page is filled with zeros for a process. */
	probe zfod(int by)
		= fbt:vmlinux:do_anonymous_page:entry (1);

	/* Data are read from a disk. */
	probe pgin(int by)
		= rawtp:::block_bio_queue /BIO_READS[args[0]]/ (1);

	/* Pages are read from a disk: how many. */
	probe pgpgin(int by)
		= rawtp:::block_bio_queue /BIO_READS[args[0]]/ ((args[0]->bi_iter.bi_size + 4095) >> 12);

	/* Data are written to a disk. */
	probe pgout(int by)
		= rawtp:::block_bio_queue /BIO_WRITES[args[0]]/ (1);

	/* Pages are written to a disk: how many. */
	probe pgpgout(int by)
		= rawtp:::block_bio_queue /BIO_WRITES[args[0]]/ ((args[0]->bi_iter.bi_size + 4095) >> 12);

	/* A page of a file comes into the page cache. */
	probe fspgin(int by)
		= rawtp:::mm_filemap_add_to_page_cache (1);

	/* A page of a file leaves the page cache. */
	probe fsfree(int by)
		= rawtp:::mm_filemap_delete_from_page_cache (1);

	/* The thread that frees pages begins a round. */
	probe pgrrun(int by)
		= rawtp:::mm_vmscan_kswapd_wake (1);

	/* Pages are looked at to be freed: how many. */
	probe scan(int by)
		= rawtp:::mm_vmscan_lru_shrink_inactive (args[1]);

	/* Pages are freed after they were looked at: how many. */
	probe dfree(int by)
		= rawtp:::mm_vmscan_lru_shrink_inactive /args[2]/ (args[2]);

	/* A page is read from swap. */
	probe anonpgin(int by)
		= fbt:vmlinux:swap_read_folio:entry (1)
		| fbt:vmlinux:swap_readpage:entry (1);

	/* A page is written to swap. */
	probe anonpgout(int by)
		= fbt:vmlinux:swap_writeout:entry (1)
		| fbt:vmlinux:swap_writepage:entry (1);
};
