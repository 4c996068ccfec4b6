/* memory that the kernel gives out and takes back, by its kind, as on FreeBSD: stringof(args[0]) is the slab cache */
provider dtmalloc {
	/* An object is taken from a slab cache, whose name is the type; caches of one size may be merged under the name of one. */
	probe malloc(const char *type, size_t size, uintptr_t address, uintptr_t caller)
		= rawtp:::kmem_cache_alloc /args[1] != NULL/ (args[2]->name, args[2]->object_size, (uintptr_t)args[1], args[0]);

	/* An object goes back to a slab cache, whose name is the type. */
	probe free(const char *type, size_t size, uintptr_t address, uintptr_t caller)
		= rawtp:::kmem_cache_free /args[1] != NULL/ (args[2]->name, args[2]->object_size, (uintptr_t)args[1], args[0]);

	/*
	 * Memory of no type is given out: of what kmalloc() gives, who asked is all that
	 * tells what it is for. The sizes are what was asked for, and what was given.
	 */
	probe kmalloc(uintptr_t caller, size_t size, uintptr_t address, size_t given)
		= rawtp:::kmalloc /args[1] != NULL/ (args[0], args[2], (uintptr_t)args[1], args[3]);

	/* Memory of no type is given back; the kernel does not say how much. */
	probe kfree(uintptr_t caller, uintptr_t address)
		= rawtp:::kfree /args[1] != NULL/ (args[0], (uintptr_t)args[1]);
};
