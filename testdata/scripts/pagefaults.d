#!/usr/bin/env -S dscope trace -s
/*
 * pagefaults.d - page faults by program and kind, every second.
 *
 *	dscope trace -s pagefaults.d
 *
 * USER faults happen in the program's own code, KERNEL ones while the kernel
 * touches its memory; WRITES are those of both that wanted to write.
 */

#pragma D option quiet

sdt:::page_fault_user
{
	@user[execname] = count();
}

sdt:::page_fault_kernel
{
	@kernel[execname] = count();
}

/* the second bit of the error code of x86: the access was a write */
sdt:::page_fault_user,
sdt:::page_fault_kernel
/args[2] & 2/
{
	@writes[execname] = count();
}

profile:::tick-1s,
dtrace:::END
{
	printf("%-20Y %8s %8s %8s\n", walltimestamp, "USER", "KERNEL", "WRITES");
	printa("%-20s %@8d %@8d %@8d\n", @user, @kernel, @writes);
	printf("\n");
	clear(@user);
	clear(@kernel);
	clear(@writes);
}
