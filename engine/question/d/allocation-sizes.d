/*
 * How large are the allocations of this process?
 *
 * Words:    malloc size, heap, small allocations, fragmentation, my program
 * Area:     programs
 * Attaches: malloc of the C library, in the process
 * Cost:     high – a breakpoint, a microsecond, for each allocation
 * Needs:    a process
 */

pid$target:libc*:malloc:entry
{
	@bytes[execname] = quantize(arg0);
}
