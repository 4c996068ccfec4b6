/*
 * Which functions of TCP does the kernel run?
 *
 * Words:    tcp internals, kernel functions, network stack, protocol
 * Area:     network
 * Attaches: entry of all functions of the kernel that begin with tcp_
 * Cost:     high – several hundred functions, some of them run for each segment
 * Needs:    fbt
 */

fbt::tcp_*:entry
{
	@calls[probefunc] = count();
}
