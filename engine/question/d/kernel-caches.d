/*
 * Which caches does the kernel allocate from?
 *
 * Words:    slab, slabtop, kernel memory growth, dentry, inode cache, kmem cache
 * Area:     memory
 * Attaches: each object that the kernel allocates from a cache
 * Cost:     high – a firing for each, hundred thousands a second on a busy machine
 *
 * Bytes that were taken, by cache; what is given back is not taken off.
 */

sdt:::kmem_cache_alloc
/args[2] != NULL/
{
	@bytes[stringof(args[2]->name)] = sum(args[2]->object_size);
}
