/*
 * Who asks for memory, and how much at a time?
 *
 * Words:    mmap, memory growth, allocation, leak, virtual size, address space
 * Area:     memory
 * Attaches: mmap(2)
 * Cost:     low – programs ask in large pieces
 *
 * Bytes a call, files that are mapped included.
 */

syscall::mmap:entry
{
	@bytes[execname] = quantize(arg1);
}
