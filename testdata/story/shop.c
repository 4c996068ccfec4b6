/* The load of the story in the README: four workers read a file, again and again. From one
 * moment to another (seconds; see the arguments) one of them reads from a slow pipe besides.
 * When that is over it says so. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
	nanosleep(&t, 0);
}

__attribute__((noinline)) void fetch(int fd, char *buf, size_t n)
{
	if (read(fd, buf, n) < 0)
		exit(1);
}

__attribute__((noinline)) void request(int file, int pipe, int slow)
{
	char buf[4096];

	lseek(file, 0, SEEK_SET);
	fetch(file, buf, sizeof buf);
	if (slow)
		fetch(pipe, buf, 1);
	nap(2);
}

int main(int argc, char **argv)
{
	double from = argc > 1 ? atof(argv[1]) : 5, to = argc > 2 ? atof(argv[2]) : 15;
	int p[2], i;

	(void)!pipe(p);
	for (i = 0; i < 5; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			char name[] = "worker-0";
			int file = open(argv[0], O_RDONLY);
			struct timespec t0, t;

			clock_gettime(CLOCK_MONOTONIC, &t0);
			if (i == 4) {	/* who answers slowly */
				prctl(PR_SET_NAME, "backend");
				for (;;) {
					nap(30);
					(void)!write(p[1], "x", 1);
				}
			}
			name[7] += i;
			prctl(PR_SET_NAME, name);
			for (;;) {
				clock_gettime(CLOCK_MONOTONIC, &t);
				double at = t.tv_sec - t0.tv_sec + (t.tv_nsec - t0.tv_nsec) / 1e9;
				request(file, p[0], i == 2 && at > from && at < to);
			}
		}
	nap((long)(to * 1000));
	puts("over");
	fflush(stdout);
	wait(0);
	return 0;
}
