/*
 * Which functions of the kernel allocate memory?
 *
 * Words:    kmalloc, slab, kernel memory, leak, unreclaimable
 * Area:     memory
 * Attaches: each kmalloc of the kernel
 * Cost:     high – up to hundred thousands of firings a second
 *
 * The sum of bytes, by the place that asked. What is freed again is not taken off.
 */

sdt:::kmalloc
{
	@bytes[sym((uintptr_t)args[0])] = sum(args[3]);
}
