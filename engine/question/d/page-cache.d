/*
 * Who fills the page cache?
 *
 * Words:    page cache, cache misses, readahead, buffers, file memory
 * Area:     memory
 * Attaches: each piece of a file that is put into memory
 * Cost:     medium – thousands of firings a second while files are read or written
 */

sdt:::mm_filemap_add_to_page_cache
{
	@pieces[execname, pid] = count();
}
