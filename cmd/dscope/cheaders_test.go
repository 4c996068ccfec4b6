package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine"
)

// What -C makes of the headers of this machine: those of the C library and of the
// kernel for programs.

// includeDir is where the headers lie.
const includeDir = "/usr/include"

// ownFolders are those of the C library and of the kernel; what else is installed on
// a machine is not for scripts.
var ownFolders = []string{"", "arpa", "asm", "asm-generic", "bits", "drm", "gnu", "linux", "misc", "mtd", "net", "netash", "netatalk",
	"netax25", "neteconet", "netinet", "netipx", "netiucv", "netpacket", "netrom", "netrose", "nfs", "protocols", "rdma", "rpc",
	"scsi", "sound", "sys", "video", "xen"}

// known are headers that C's compilers take and -C does not, with the reason.
var known = map[string]string{
	"tgmath.h": "it wants a compiler that chooses a function by the type of its argument, and says so itself",
}

// needHeaders skips the test where there are no headers; in CI there must be.
func needHeaders(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(includeDir + "/stdio.h"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%v: install libc6-dev", err)
		}
		t.Skipf("%v: no headers of C here", err)
	}
}

// headers returns the names by which a program includes the headers of this machine.
func headers(t *testing.T) []string {
	var list []string
	for _, root := range []string{includeDir, includeDir + "/x86_64-linux-gnu", includeDir + "/aarch64-linux-gnu"} {
		filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			name, _ := filepath.Rel(root, path)
			folder, _, below := strings.Cut(name, "/")
			switch {
			case err != nil || name == ".":
			case d.IsDir() && !slices.Contains(ownFolders, folder):
				return filepath.SkipDir
			case strings.HasSuffix(name, ".h") && (below || root == includeDir):
				list = append(list, name)
			}
			return nil
		})
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) < 500 {
		t.Fatalf("only %d headers found", len(list))
	}
	return list
}

// refusals returns what the compiler has against a script that is preprocessed.
func refusals(t *testing.T, e *engine.Engine, text string) (*token.File, diag.List) {
	t.Helper()
	c := checking{opts: engine.DefaultOptions()}
	file, list, err := c.cpp.source("headers.d", text)
	if err != nil || list.Failed() {
		return file, list
	}
	found, err := e.Inspect(context.Background(), engine.Script{Name: "headers.d", Text: file.Src, File: file, Options: c.opts})
	if err != nil {
		t.Fatal(err)
	}
	return found.File, found.List
}

// accepts reports whether C's compiler takes a header by itself.
func accepts(header string) bool {
	cmd := exec.Command("gcc", "-fsyntax-only", "-x", "c", "-")
	cmd.Stdin = strings.NewReader("#include <" + header + ">\n")
	return cmd.Run() == nil
}

// needCompiler skips a test where there is no gcc; the checks of the project install one.
func needCompiler(t *testing.T, why string) {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no gcc here %s: %v", why, err)
		}
		t.Skipf("no gcc here %s", why)
	}
}

// Every header that C's compiler takes by itself compiles under -C, and leaves D its
// names.
func TestCHeaders(t *testing.T) {
	needHeaders(t)
	needCompiler(t, "to say which headers stand alone")
	e, err := engine.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	taken, refused := 0, 0
	for _, name := range headers(t) {
		text := "#include <" + name + ">\n" +
			`BEGIN { trace(errno); trace(strlen(execname)); trace(index("abc", "c")); trace(basename("/a/b")); exit(0); }` + "\n"
		file, list := refusals(t, e, text)
		switch {
		case !list.Failed():
			taken++
		case known[name] != "" || !accepts(name):
			refused++
		default:
			var b strings.Builder
			diag.Print(&b, file, list[:1])
			t.Errorf("%s is refused:\n%s", name, b.String())
		}
	}
	t.Logf("%d headers taken; %d refused that C's compiler refuses too, or that are known: %v", taken, refused, known)
	if taken < 500 {
		t.Errorf("only %d headers taken", taken)
	}
}

// Headers lie in memory as C's compiler lays them out, packed and aligned ones too.
func TestCHeaderLayout(t *testing.T) {
	needHeaders(t)
	if !canTrace(t) {
		t.Skip("the sizes are printed by a run, and nothing can be traced here")
	}
	needCompiler(t, "to compare with")
	const include = `#include <sys/epoll.h>
#include <sys/stat.h>
#include <pthread.h>
#include <semaphore.h>
#include <aio.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <net/if.h>
#include <netdb.h>
#include <signal.h>
#include <dirent.h>
#include <pwd.h>
#include <termios.h>
#include <sys/un.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <link.h>
#include <time.h>
#include <linux/bpf.h>
#include <linux/batadv_packet.h>
#include <linux/if_ether.h>
#include <linux/usb/ch9.h>
#include "own.h"
`
	const own = `
#pragma pack(push, 2)
struct two { char a; long b; short c; int d; };
#pragma pack(push)
#pragma pack(1)
struct one { char a; long b; struct two t; int bits:3; };
#pragma pack(pop)
struct again { char a; int b; };
#pragma pack(pop)
struct loose { char a; int b; };
struct __attribute__((__packed__)) before { char a; long b; };
struct after { char a; int b; } __attribute__((packed, aligned(8)));
struct member { char a; int b __attribute__((packed)); char c; long d __attribute__((aligned(32))); };
typedef int wide_t __attribute__((aligned(16)));
struct uses { char a; wide_t w; char b; };
struct bits { char a; unsigned b:30; unsigned c:7; unsigned long d:40; } __attribute__((packed));
enum __attribute__((packed)) tiny { TINY = 3 };
enum big { BIG = 0x80000000u };
enum huge { HUGE = 1ULL << 40, MINUS = -1 };
struct enums { enum tiny t; enum big b; enum huge h; };
struct zero { int n; _Alignas(double) char data[0]; };
_Static_assert(sizeof (struct one) > 0, "packs");
static __inline__ int twice(int x) { return ({ int y = x; y + y; }); }
extern inline __attribute__((gnu_inline)) int old(a, b) int a; char *b; { return a + *b; }
int counter(const char *string, int self, ...) __asm__("other_name") __attribute__((format(printf, 1, 3)));
`
	sizes := strings.Fields(`epoll_event stat pthread_attr_t sem_t aiocb sockaddr_in sockaddr_in6 tcphdr tcp_info ifreq
		addrinfo sigaction siginfo_t dirent passwd termios sockaddr_un rusage sysinfo link_map timespec bpf_attr=union
		batadv_ogm_packet ethhdr usb_endpoint_descriptor usb_config_descriptor two one again loose before after member uses bits enums zero`)
	var exprs []string
	for _, s := range sizes {
		name, kind, other := strings.Cut(s, "=")
		switch {
		case strings.HasSuffix(name, "_t"):
			exprs = append(exprs, "sizeof ("+name+")")
		case other:
			exprs = append(exprs, "sizeof ("+kind+" "+name+")")
		default:
			exprs = append(exprs, "sizeof (struct "+name+")")
		}
	}
	for _, m := range strings.Fields(`epoll_event.data stat.st_mtim stat.st_blocks siginfo.x tcp_info.tcpi_rtt dirent.d_name
		usb_endpoint_descriptor.bSynchAddress two.b one.t again.b after.b member.b member.d uses.w uses.b enums.h zero.data`) {
		if tag, member, _ := strings.Cut(m, "."); member != "x" {
			exprs = append(exprs, fmt.Sprintf("offsetof(struct %s, %s)", tag, member))
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/own.h", []byte(own), 0o666); err != nil {
		t.Fatal(err)
	}
	c := "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stddef.h>\n" + include + "int main(void) {\n"
	d := include + "BEGIN\n{\n"
	for _, x := range exprs {
		c += fmt.Sprintf("\tprintf(\"%s %%d\\n\", (int)%s);\n", x, x)
		d += fmt.Sprintf("\tprintf(\"%s %%d\\n\", (int)%s);\n", x, x)
	}
	c, d = c+"}\n", d+"\texit(0);\n}\n"
	write := func(name, text string) string {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return dir + "/" + name
	}
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return string(out)
	}
	run("gcc", "-w", "-o", dir+"/sizes", write("sizes.c", c))
	want := run(dir + "/sizes")
	got := run("dscope", "trace", "-C", "-q", "-s", write("sizes.d", d))
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("dscope:\n%s\nC:\n%s", got, want)
	}
}
