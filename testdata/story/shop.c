/* The loads of the story in the README: workers read, again and again. From one moment to
 * another (seconds; see the arguments) some of their reads are slow. What these have in common
 * is the third argument:
 *
 *   pipe  one of the workers reads from a slow pipe besides (without an argument)
 *   user  each worker reads from a pipe of its own, and those of another user wait for it
 *   size  now and then a worker reads much at once
 *
 * When that is over it says so. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 4, NOBODY = 65534, SMALL = 512, LARGE = 8 << 20 };

static int pipes[WORKERS][2];
static double began;
static char buf[LARGE];

static void nap(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
	nanosleep(&t, 0);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

__attribute__((noinline)) void fetch(int fd, char *buf, size_t n)
{
	if (read(fd, buf, n) < 0)
		exit(1);
}

/* request reads what there is at once, and then what may be slow. */
__attribute__((noinline)) void request(int file, size_t n, int pipe)
{
	if (file >= 0) {
		if (n == SMALL)
			lseek(file, 0, SEEK_SET);
		fetch(file, buf, n);
	}
	if (pipe >= 0)
		fetch(pipe, buf, 1);
	nap(2);
}

/* backend fills pipes: of a worker that is to wait it writes little, and rarely. */
static void backend(int user, double from, double to)
{
	double last = 0, at;

	prctl(PR_SET_NAME, "backend");
	for (;; nap(2)) {
		at = now() - began;
		int rare = at - last > 0.03;
		for (int i = 0; i < WORKERS; i++)
			if (user && (i % 2 == 0 || at < from || at > to))
				(void)!write(pipes[i][1], buf, 16);
			else if (rare)
				(void)!write(pipes[i][1], buf, 1);
		if (rare)
			last = at;
	}
}

static void worker(int i, const char *load, double from, double to, const char *program)
{
	int user = !strcmp(load, "user"), size = !strcmp(load, "size"), drained = 0;
	int file = user ? -1 : open(size ? "/dev/urandom" : program, O_RDONLY);
	char name[] = "worker-0";

	name[7] += i;
	prctl(PR_SET_NAME, user || size ? "worker" : name);
	if (user && i % 2 && setuid(NOBODY))
		exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int n = 0;; n++) {
		double at = now() - began;
		int over = at < from || at > to;

		if (user && !over && !drained++)
			fetch(pipes[i][0], buf, LARGE);
		request(file, size && !over && n % 8 == 0 ? LARGE : SMALL,
			user || (!size && !over && i == 2) ? pipes[i][0] : -1);
	}
}

int main(int argc, char **argv)
{
	double from = argc > 1 ? atof(argv[1]) : 5, to = argc > 2 ? atof(argv[2]) : 15;
	const char *load = argc > 3 ? argv[3] : "pipe";

	for (int i = 0; i < WORKERS; i++) {
		(void)!pipe(pipes[i]);
		fcntl(pipes[i][1], F_SETFL, O_NONBLOCK);
	}
	began = now();
	for (int i = 0; i <= WORKERS; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (i == WORKERS)
				backend(!strcmp(load, "user"), from, to);
			worker(i, load, from, to, argv[0]);
		}
	nap((long)(to * 1000));
	puts("over");
	fflush(stdout);
	wait(0);
	return 0;
}
