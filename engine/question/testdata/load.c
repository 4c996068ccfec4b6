/*
 * A load that has something of everything that questions ask about: each child does one
 * kind of thing until it is killed, and the program itself computes, allocates and locks.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MB (1 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int way[2]; /* a pipe that several threads read and write */

static void files(void)
{
	void *b = aligned_alloc(4096, 65536);
	struct stat st;

	memset(b, 1, 65536);
	for (;; usleep(2000)) {
		int fd = open("data", O_RDWR | O_CREAT | O_TRUNC | O_DIRECT, 0600);
		write(fd, b, 65536);
		pread(fd, b, 4096, 8192);
		close(fd);
		fd = open("cached", O_RDWR | O_CREAT | O_TRUNC, 0600);
		write(fd, b, 65536);
		fsync(fd);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		pread(fd, b, 65536, 0);
		close(fd);
		rename("cached", "moved");
		stat("moved", &st);
		unlink("moved");
		mkdir("dir", 0700);
		rmdir("dir");
		open("nowhere", O_RDONLY);
		closedir(opendir("."));
		fd = open("/dev/zero", O_RDONLY);
		read(fd, b, 100);
		close(fd);
	}
}

static struct sockaddr_in at(int port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int ask(int port, int flags)
{
	struct sockaddr_in a = at(port);
	int fd = socket(AF_INET, SOCK_STREAM | flags, 0);

	connect(fd, (struct sockaddr *)&a, sizeof a);
	return fd;
}

static int listener(int backlog, int *port)
{
	struct sockaddr_in a = at(0);
	socklen_t n = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	bind(fd, (struct sockaddr *)&a, sizeof a);
	listen(fd, backlog);
	getsockname(fd, (struct sockaddr *)&a, &n);
	*port = ntohs(a.sin_port);
	return fd;
}

static void network(void)
{
	int port, full, other, l = listener(64, &port);
	struct sockaddr_in names = at(53);
	int u = socket(AF_INET, SOCK_DGRAM, 0);
	char b[512] = { 0 };
	int waiting[64] = { 0 };

	listener(0, &full); /* takes one or two; to whom else asks, nobody answers */
	close(listener(1, &other));
	for (int i = 0;; i++) {
		int c = ask(port, 0), s = accept(l, 0, 0);
		send(s, b, sizeof b, 0);
		struct pollfd p = { .fd = c, .events = POLLIN };
		poll(&p, 1, 100);
		recv(c, b, sizeof b, 0);
		close(c);
		close(s);
		close(ask(other, 0));
		sendto(u, b, 40, 0, (struct sockaddr *)&names, sizeof names);
		if (i % 10 == 0) { /* those that wait ask again after a second, and then ever more seldom */
			int *w = &waiting[i / 10 % 64];
			if (*w)
				close(*w);
			*w = ask(full, SOCK_NONBLOCK);
		}
		usleep(5000);
	}
}

static void locks(void)
{
	int fd = open("locked", O_RDWR | O_CREAT, 0600);

	for (;;) {
		flock(fd, LOCK_EX);
		usleep(1000);
		flock(fd, LOCK_UN);
	}
}

static void *nothing(void *arg) { return arg; }

static void processes(void)
{
	char *memory = malloc(MB);

	for (;; usleep(5000)) {
		memset(memory, 1, MB);
		pid_t p = fork();
		if (p == 0) {
			memset(memory, 2, 65536);
			execl("/bin/true", "true", (char *)0);
			_exit(1);
		}
		waitpid(p, 0, 0);
		if ((p = fork()) == 0)
			pause();
		kill(p, SIGTERM);
		waitpid(p, 0, 0);
		if ((p = fork()) == 0)
			raise(SIGSEGV);
		waitpid(p, 0, 0);
		execl("nowhere", "nowhere", (char *)0);
		pthread_t t;
		pthread_create(&t, 0, nothing, 0);
		pthread_join(t, 0);
	}
}

static void *crowd(void *arg)
{
	char b[4096];

	for (;;) {
		char *m = mmap(0, MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (int i = 0; i < MB; i += 65536)
			m[i] = 1;
		munmap(m, MB);
		write(way[1], b, sizeof b);
		read(way[0], b, sizeof b);
		usleep(100);
	}
	return arg;
}

static void memory(void)
{
	pthread_t t;

	for (int i = 0; i < 4; i++)
		pthread_create(&t, 0, crowd, 0);
	pause();
}

__attribute__((noinline)) static unsigned work(unsigned n)
{
	for (unsigned i = 0; i < 200000; i++)
		n = n * 31 + i;
	return n;
}

static void *own(void *arg)
{
	static volatile unsigned sum;

	for (;;) {
		pthread_mutex_lock(&lock);
		free(malloc(100));
		sum += work(sum);
		usleep(200);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	static void (*const kinds[])(void) = { files, network, locks, locks, processes, memory };
	const struct rlimit none = { 0, 0 };
	pthread_t t;

	setrlimit(RLIMIT_CORE, &none);
	pipe(way);
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			kinds[i]();
		}
	}
	for (int i = 0; i < 3; i++)
		pthread_create(&t, 0, own, 0);
	write(1, "ready\n", 6);
	own(0);
}
