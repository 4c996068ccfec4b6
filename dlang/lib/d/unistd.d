/* What an ERROR probe tells of a fault in arg4. */

inline int DTRACEFLT_UNKNOWN = 0;		/* nothing is known */
inline int DTRACEFLT_BADADDR = 1;		/* an address that cannot be read */
inline int DTRACEFLT_BADALIGN = 2;	/* an address that is not aligned */
inline int DTRACEFLT_ILLOP = 3;		/* an operation that cannot be done */
inline int DTRACEFLT_DIVZERO = 4;		/* a division by zero */
inline int DTRACEFLT_NOSCRATCH = 5;	/* no room left to work in */
inline int DTRACEFLT_KPRIV = 6;		/* memory of the kernel that may not be read */
inline int DTRACEFLT_UPRIV = 7;		/* memory of a process that may not be read */
inline int DTRACEFLT_TUPOFLOW = 8;	/* a key that is too long */
inline int DTRACEFLT_BADSTACK = 9;	/* a stack that cannot be walked */
inline int DTRACEFLT_BADSIZE = 10;	/* a size that is out of bounds */
inline int DTRACEFLT_BADINDEX = 11;	/* an index outside of its array */

#pragma D binding "1.4.1" DTRACEFLT_BADSTACK
