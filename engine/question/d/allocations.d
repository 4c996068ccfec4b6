/*
 * How much does this process allocate, and where?
 *
 * Words:    malloc, memory leak, heap, allocation size, memory growth, my program
 * Area:     programs
 * Attaches: malloc of the C library, in the process
 * Cost:     high – a breakpoint, a microsecond, for each allocation
 * Needs:    a process
 *
 * Bytes by stack. What is freed again is not taken off.
 */

pid$target:libc*:malloc:entry
{
	@bytes[ustack()] = sum(arg0);
}
