/* What the programs share that BenchmarkLimit runs dscope beside: the helpers and types of the
 * kernel that they use, so that a compiler is all that they need. */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))
#define __uint(name, val) int(*name)[val]
#define __type(name, val) typeof(val) *name

enum { HASH = 1, ARRAY = 2, PERCPU_HASH = 5, PERCPU_ARRAY = 6, STACK_TRACE = 7, RINGBUF = 27, TASK_STORAGE = 29 };
enum { NOEXIST = 1, NO_PREALLOC = 1, CREATE = 1, NO_WAKEUP = 1 };

static void *(*lookup)(void *map, const void *key) = (void *)1;
static long (*update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static u64 (*ktime)(void) = (void *)5;
static long (*get_stackid)(void *ctx, void *map, u64 flags) = (void *)27;
static long (*read_user)(void *dst, u32 size, const void *src) = (void *)112;
static long (*read_user_str)(void *dst, u32 size, const void *src) = (void *)114;
static long (*read_str)(void *dst, u32 size, const void *src) = (void *)115;
static long (*ring_output)(void *map, void *data, u64 size, u64 flags) = (void *)130;
static void *(*storage)(void *map, void *task, void *value, u64 flags) = (void *)156;
static struct task_struct *(*current)(void) = (void *)158;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct kuid { u32 val; };
struct cred { struct kuid uid; };
struct task_struct { int tgid; const struct cred *cred; char comm[16]; };
struct pt_regs { unsigned long di, si, dx, orig_ax; };
#pragma clang attribute pop

#define GETPPID 110

/* calls returns the registers of the call that sys_enter tells of, or 0 if it is no getppid(). */
INLINE struct pt_regs *calls(u64 *ctx) { return ctx[1] == GETPPID ? (struct pt_regs *)ctx[0] : 0; }

struct comm { u64 a, b; };
INLINE struct comm comm_of(struct task_struct *t)
{
	return (struct comm){ *(u64 *)&t->comm[0], *(u64 *)&t->comm[8] };
}

/* count adds to the cell of a key. */
INLINE void count(void *map, const void *key)
{
	u64 zero = 0, *v = lookup(map, key);
	if (!v) {
		update(map, key, &zero, NOEXIST);
		v = lookup(map, key);
	}
	if (v)
		*v += 1;
}

/* log2_of is the place of the highest bit that is set. */
INLINE u32 log2_of(u64 v)
{
	u32 r, k;
	r = (v > 0xffffffff) << 5; v >>= r;
	k = (v > 0xffff) << 4; v >>= k; r |= k;
	k = (v > 0xff) << 3; v >>= k; r |= k;
	k = (v > 0xf) << 2; v >>= k; r |= k;
	k = (v > 0x3) << 1; v >>= k; r |= k;
	return r | v >> 1;
}

#define MAP(name, kind, entries, k, v) \
	struct { __uint(type, kind); __uint(max_entries, entries); __type(key, k); __type(value, v); } name SEC(".maps")

char LICENSE[] SEC("license") = "GPL";
