/* The questions of BenchmarkLimit as one would write them by hand, each as well as it goes. */
#include "limit.h"

/* counter: a global array that is counted up */
MAP(counters, HASH, 4096, u64, u64);
SEC("tp_btf/sys_enter") int counter(u64 *ctx)
{
	if (!calls(ctx))
		return 0;
	u64 pid = current()->tgid;
	count(&counters, &pid);
	return 0;
}

/* tid: what a thread keeps from a call to its return, and sets to 0 after */
struct { __uint(type, TASK_STORAGE); __uint(map_flags, NO_PREALLOC); __type(key, int); __type(value, u64); } began SEC(".maps");
MAP(latency, PERCPU_ARRAY, 128, u32, u64);
SEC("tp_btf/sys_enter") int tid_enter(u64 *ctx)
{
	if (!calls(ctx))
		return 0;
	u64 *t = storage(&began, current(), 0, CREATE);
	if (t)
		*t = ktime();
	return 0;
}
SEC("tp_btf/sys_exit") int tid_exit(u64 *ctx)
{
	if (((struct pt_regs *)ctx[0])->orig_ax != GETPPID)
		return 0;
	u64 *t = storage(&began, current(), 0, 0);
	if (!t || !*t)
		return 0;
	u32 bucket = 64 + log2_of(ktime() - *t);
	u64 *v = lookup(&latency, &bucket);
	if (v)
		*v += 1;
	*t = 0;
	return 0;
}

/* strings: the last part of a path that has a word in it. A key is as long as its text asks. */
extern int bpf_strstr(const char *s, const char *word) __attribute__((section(".ksyms")));
extern int bpf_strrchr(const char *s, int c) __attribute__((section(".ksyms")));
struct path { char text[256]; };
struct part { u64 words[4]; };
MAP(paths, PERCPU_ARRAY, 2, u32, struct path);
MAP(parts, PERCPU_HASH, 4096, struct part, u64);
MAP(longs, PERCPU_HASH, 4096, struct path, u64);
SEC("tp_btf/sys_enter") int strings(u64 *ctx)
{
	struct pt_regs *r = calls(ctx);
	u32 zero = 0, one = 1;
	if (!r)
		return 0;
	struct path *p = lookup(&paths, &zero), *key = lookup(&paths, &one);
	if (!p || !key)
		return 0;
	long n = read_user_str(p->text, sizeof p->text, (void *)r->si);
	if (n < 2 || bpf_strstr(p->text, "tools") < 0)
		return 0;
	u32 from = bpf_strrchr(p->text, '/') + 1;
	if (from >= sizeof p->text)
		return 0;
	struct part k = {};
	if (read_str(&k, sizeof k, p->text + from) < (long)sizeof k) {
		count(&parts, &k);
		return 0;
	}
	for (u32 i = 0; i < 32; i++)
		((u64 *)key)[i] = 0;
	read_str(key, sizeof *key, p->text + from);
	count(&longs, key);
	return 0;
}

/* loop: the sum of the bytes of a name */
MAP(sums, PERCPU_ARRAY, 1, u32, u64);
SEC("tp_btf/sys_enter") int loop(u64 *ctx)
{
	u32 zero = 0;
	u64 sum = 0, *v;
	if (!calls(ctx))
		return 0;
	struct comm c = comm_of(current());
#pragma unroll
	for (int i = 0; i < 8; i++)
		sum += (long long)(signed char)(c.a >> 8 * i) + (signed char)(c.b >> 8 * i);
	if ((v = lookup(&sums, &zero)))
		*v += sum;
	return 0;
}

/* copied: the same of memory of the process */
SEC("tp_btf/sys_enter") int copied(u64 *ctx)
{
	struct pt_regs *r = calls(ctx);
	signed char b[16];
	u32 zero = 0;
	u64 sum = 0, *v;
	if (!r || read_user(b, sizeof b, (void *)r->si))
		return 0;
#pragma unroll
	for (int i = 0; i < 16; i++)
		sum += b[i];
	if ((v = lookup(&sums, &zero)))
		*v += sum;
	return 0;
}

/* clauses: five predicates at one probe, and a count for each */
struct five { u64 n[5]; };
MAP(fives, PERCPU_ARRAY, 1, u32, struct five);
SEC("tp_btf/sys_enter") int clauses(u64 *ctx)
{
	struct pt_regs *r = calls(ctx);
	u32 zero = 0;
	if (!r)
		return 0;
	struct five *v = lookup(&fives, &zero);
	if (!v)
		return 0;
	struct task_struct *t = current();
	if (t->cred->uid.val == 0)
		v->n[0]++;
	if (r->di & 1)
		v->n[1]++;
	if (r->dx > 100)
		v->n[2]++;
	if (t->tgid == 1)
		v->n[3]++;
	struct comm c = comm_of(t);
	if (c.a == 0x6c6f6f747379616cULL && (u8)c.b == 0)
		v->n[4]++;
	return 0;
}

/* stats: an average, the least and the most, and the standard deviation at once */
struct stats { u64 n, sum, min, max, low, high; };
MAP(all_stats, PERCPU_ARRAY, 1, u32, struct stats);
SEC("tp_btf/sys_enter") int stats(u64 *ctx)
{
	struct pt_regs *r = calls(ctx);
	u32 zero = 0;
	if (!r)
		return 0;
	struct stats *s = lookup(&all_stats, &zero);
	if (!s)
		return 0;
	u64 v = r->dx, square = v * v;
	if (!s->n || (long long)v < (long long)s->min)
		s->min = v;
	if (!s->n || (long long)v > (long long)s->max)
		s->max = v;
	s->n++;
	s->sum += v;
	s->low += square;
	s->high += s->low < square;
	return 0;
}

/* tuple: a key of three */
struct three { struct comm c; u32 pid, nr; };
MAP(threes, PERCPU_HASH, 4096, struct three, u64);
SEC("tp_btf/sys_enter") int tuple(u64 *ctx)
{
	if (!calls(ctx))
		return 0;
	struct task_struct *t = current();
	struct three k = { comm_of(t), t->tgid, ctx[1] };
	count(&threes, &k);
	return 0;
}

/* branches: one of six counts */
struct six { u64 n[6]; };
MAP(sixes, PERCPU_ARRAY, 1, u32, struct six);
SEC("tp_btf/sys_enter") int branches(u64 *ctx)
{
	struct pt_regs *r = calls(ctx);
	u32 zero = 0;
	if (!r)
		return 0;
	struct six *v = lookup(&sixes, &zero);
	if (!v)
		return 0;
	long n = r->dx;
	if (n < 10)
		v->n[0]++;
	else if (n < 50)
		v->n[1]++;
	else if (n < 100)
		v->n[2]++;
	else if (n < 300)
		v->n[3]++;
	else if (n < 700)
		v->n[4]++;
	else
		v->n[5]++;
	return 0;
}

/* llquantize: ten to the powers of 0 to 5, twenty steps each */
MAP(orders, PERCPU_ARRAY, 256, u32, u64);
SEC("tp_btf/sys_enter") int llquantize(u64 *ctx)
{
	struct pt_regs *r = calls(ctx);
	if (!r)
		return 0;
	u64 n = r->dx, *v;
	u32 at;
	if ((long long)n < 1)
		at = 0;
	else if (n < 10)
		at = n;
	else if (n < 100)
		at = 9 + n / 5 - 1;
	else if (n < 1000)
		at = 27 + n / 50 - 1;
	else if (n < 10000)
		at = 45 + n / 500 - 1;
	else if (n < 100000)
		at = 63 + n / 5000 - 1;
	else if (n < 1000000)
		at = 81 + n / 50000 - 1;
	else
		at = 200;
	if ((v = lookup(&orders, &at)))
		*v += 1;
	return 0;
}

/* stack: ten frames of the kernel */
struct frames { u64 at[10]; };
MAP(stacks, STACK_TRACE, 4096, u32, struct frames);
MAP(stack_counts, PERCPU_HASH, 4096, u32, u64);
SEC("tp_btf/sys_enter") int stack(u64 *ctx)
{
	if (!calls(ctx))
		return 0;
	long id = get_stackid(ctx, &stacks, 0);
	if (id < 0)
		return 0;
	u32 k = id;
	count(&stack_counts, &k);
	return 0;
}

/* prints: a record of two strings, as long as its text */
struct line { struct comm c; char path[256]; };
struct { __uint(type, RINGBUF); __uint(max_entries, 16 << 20); } ring SEC(".maps");
MAP(lines, PERCPU_ARRAY, 1, u32, struct line);
SEC("tp_btf/sys_enter") int prints(u64 *ctx)
{
	struct pt_regs *r = calls(ctx);
	u32 zero = 0;
	if (!r)
		return 0;
	struct line *l = lookup(&lines, &zero);
	if (!l)
		return 0;
	l->c = comm_of(current());
	long n = read_user_str(l->path, sizeof l->path, (void *)r->si);
	if (n < 0 || n > 256)
		return 0;
	ring_output(&ring, l, sizeof l->c + n, NO_WAKEUP);
	return 0;
}
