/*
 * Frames of every sort, for a debugger and dscope to be compared at: functions that
 * keep no frame pointer, inlined ones in two depths, recursion, a call in tail position,
 * callbacks of the C library, a signal, frames of thousands of bytes and of a size known
 * only at run time.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define KEEP __attribute__((noinline, noclone))
#define INTO static inline __attribute__((always_inline))
volatile int sink;
KEEP static int leaf(int n) { sink += n; return n + 1; }
INTO int inner(int n) { sink += n; return leaf(n * 2) + sink; }
INTO int outer(int n) { return inner(n + 1) + inner(n + 2); }
KEEP static int holds(int n) { int r = outer(n); sink = r; return r; }
KEEP static int recur(int n) { if (n == 0) return leaf(3); int r = recur(n - 1); sink = r; return r + 1; }
KEEP static int tail(int n) { sink++; return leaf(n); }
static int compare(const void *a, const void *b) { sink++; return *(const int *)a - *(const int *)b; }
KEEP static void sorted(void) { int v[] = {4, 2, 3, 1}; qsort(v, 4, sizeof v[0], compare); sink = v[0]; }
KEEP static void handler(int s) { leaf(s); sink++; }
KEEP static void signaled(void) { raise(SIGUSR1); sink++; }
KEEP static int big(int n) { char room[5000]; memset(room, n, sizeof room); int r = leaf(room[n]); sink = room[17]; return r; }
KEEP static int moved(int n) { char *room = __builtin_alloca(n * 16); memset(room, n, n * 16); int r = leaf(room[n]); sink = room[3]; return r; }
int main(void)
{
	signal(SIGUSR1, handler);
	holds(1); recur(5); tail(2); sorted(); signaled(); big(7); moved(9);
	return 0;
}
