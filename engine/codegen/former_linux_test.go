package codegen_test

import (
	"math/rand/v2"
	"testing"

	"dscope.dev/dlang/lower/gen"
	"dscope.dev/engine/codegen"
)

// TestFormerBugs runs scripts that the kernel once refused, or that did something
// else than they say.
func TestFormerBugs(t *testing.T) {
	codegen.NeedKernel(t)
	m := newMachine(t)
	own := m.features
	for _, tt := range []struct{ name, script string }{
		{"subroutine that only unreached code calls",
			`syscall::: /((12 ? "" : lltostr(args[0], 2)), "", 1)/ { @["a"] = quantize(1); }`},
		{"cell of a thread that ERROR made",
			`exec { trace(stringof(0)); } ERROR { self->si = 5; } exec { trace(self->si); }`},
		{"cell that the predicate did not find and ERROR made",
			`exec /self->si == 0/ { trace(stringof(0)); } ERROR { self->si = 5; } exec { trace(self->si); self->si = 0; }`},
		{"copy of a variable onto itself",
			`exec { gs = "a rather long constant"; gs = gs; } exec { trace(gs); }`},
		{"loop whose test comes last, in an open record",
			`exec { printf("%d %d %d", gi, gl, spin(3)); }`},
		{"loop whose numbers the verifier would follow",
			`exec { while (64 * this->tc-- == gc / -16; max 3) { int64_t l = this->tc; self->sa[*args[1]->nums] -= ++self->si < l; l += 1 % (l | arg4); } }`},
		{"part of a string from far before its start",
			`syscall::: { trace(substr(execname, (int)0x80000000)); trace(substr("/usr/lib//x", 0 - 0x80000000)); trace(substr(probefunc, 0x80000000 * 9223372036854775807)); }`},
		{"loop that only rare code leads to",
			`unsigned char fn1(char pa, string pb) { int lv2; at[((char)0 != (this->tw || 255))] = 0; at[(tid ? self->su : (gi--))] = 0; if ((lv2 % 10)) return this->ti; return index(execname, "/usr/lib//x"); }
			int fn3(unsigned pa, string pb) { short lv4 = (--self->sh); pb = gs; go = ao[2]; if (('a' || 4294967296)) return 0; return (pa >= gc); }
			syscall:::entry { while (1; max 2) { ax[(fn3(0x80000000, "") % (ppid | arg4)), strchr(stringof(curthread->comm), '/')]++; } }
			syscall:::entry /(curthread->pid)/ { do { int lv5 = sizeof (int); if (((lv5 ^^ arg0) ^ (short)arg0)) continue; for (int lv6 = 0; lv6 < 3; lv6++) { ax[fn1((4294967296 != gl), strjoin(stringof(curthread->real_parent->comm), "/usr/lib//x")), substr(stringof(curthread->comm), (64 ? 4294967296 : 63), (copyinstr(arg2, 4) == "dd"))] -= 255; } } while (cpu; max 4); }`},
		{"pointer that is tested again after a loop",
			`syscall:::return { do { --self->sh; } while (ntohl(pid); max 1); if (self->sh) gi = 1; }`},
		{"loop whose rounds call many subroutines",
			`syscall:::return { for (int lv4 = 0; lv4 < 6; lv4++) { if (!(self->su * lv4)) { an[tid] = lv4; @avgis[(curthread->real_parent->tgid >= cpu), substr(strjoin(strjoin(copyinstr(arg2, 4), "12"), lltostr((--this->tw))), (strtoll("read", arg0) / self->sh), ao[cpu].d)] = avg((int64_t)getminor(index("12", strstr(gs, "abcdefgh")))); }
				else { at[((getmajor(lv4) * (char)gl) >> ("abcdefgh" < this->ts))] = strchr("", ((unsigned)self->si | (18446744073709551615ull << args[3]))); } } trace(tolower("12") < strjoin(execname, gs)); }`},
		{"constants in a loop that fill just more than 31 bits",
			`syscall:::entry { do { int64_t l = 2147483648; gl = l; @ = lquantize(l, -20, 100, 7); l = -2147483649; gl += l; } while (gi++ < 2; max 4); }`},
		{"loop whose rounds make many choices",
			`syscall:::entry { for (int lv5 = 0; lv5 < 4; lv5++) { uint64_t lv6 = gl; printf("%d %s %x", (arg4 >= (--self->si)), probefunc, (strlen("12") * (args[3] != 4294967296)));
				printf("%d %s %x", ((lv5 ^ arg3) || xlate <struct view> ("read").wide), strjoin(substr(copyinstr(arg2), 4294967296), "/usr/lib//x"), (((tid ? (unsigned)id : spin(this->ti)) < rindex(substr("read", lv5), execname, (gi & lv5))) < (strlen(inet_ntop(10, (void *)(arg4 & 7))) << (spin((--this->tl)) * (uid ? lv5 : lv5))))); } }`},
		{"loop whose rounds leave other things on the stack on each way",
			`syscall:::return /((char)((tid | 1) ? (self->sh ? (--this->ti) : 9223372036854775807) : 'a'))/ { while (ppid; max 3) { this->ts = ((((gc--) & gc) > (this->tc ? (--this->tl) : 3u)) ? iview[xlate <struct view> (this->ts).wide].words : stringof(args[1]->next->name));
				gs = strjoin(itext[at[tid], ("" == this->ts)], strstr(strjoin(probename, copyinstr(arg2, 4)), stringof(curthread->comm))); }; }`},
		{"index that was bounded in a loop and serves again behind it",
			`syscall::write:entry { do { ao[2].in[1] = go.in[(unsigned)arg4 % 3]; } while (id; max 3); ao[pid].m[1][(unsigned)arg4 % 3] ^= 1; }`},
		{"index that was bounded and lies on the stack",
			`syscall::write:entry /(tid ? (gu--) : (--gl))/ { printf("%d %s %x", getminor(gu >= sizeof (int)), substr(strjoin("", stringof(args[1]->text)), gc++ != self->si), (+(this->tc++ && arg4)) + 255 - self->so.t[(unsigned)arg4 % 8]); trace(json("abcdefgh", cleanpath("a..a.."))); }
			syscall:::entry { if (strchr(strtok(NULL, ",/"), 'a') == NULL) { } ao[cpu] = this->to; }
			syscall::write:entry /(int)((substr("12", self->su) != "1") ^^ ((this->tc++ | 18446744073709551615ull) % 8))/ { self->sa[pid] = (uint64_t)arg5 >= self->su; gl = ~((errno << (gs != this->ts)) || execname == toupper(execname)); gl = an[gi] / -1; }
			syscall::write:entry { --an[self->su++]; this->to.u = !--gc; ax[iany[ax[self->si++, copyinstr(arg2, 4)]], probename] <<= *(int *)arg1 < (strlen(inet_ntoa((uint32_t *)copyin(arg2, 4))) <= (tid / -16)); }`},
		{"low half of what may be -1 or 0",
			`syscall:::entry { trace((int)((uint32_t)index(execname, "a") | (execname < probefunc))); gi = (uint32_t)index(gs, "b") & -(gl < arg0); }`},
		{"numbers that are -1 or 0 in a loop",
			`syscall:::entry { for (int l = 0; l < 5; l++) { gl += (arg1 >> 63 & 12) + (arg2 >> 63 | l) + ((int)arg3 >> 31 & gi) + (-(arg0 == l) & 9); trace(gl % 8 | arg1 >> 63); } }`},
		{"string that is assigned to by what is computed after it",
			`int put(string s) { gs = s; return 1; }
			exec { gs = "read"; trace(substr(gs, put("close"), 1)); gs = "read"; trace(strjoin(gs, (put("open"), "x"))); trace(gs < (put("a"), "o")); gs = "read"; trace(index(gs, (put("open"), "e")));
				gs = "read"; at[put("kept")] = gs; trace(at[1]); gs = "read"; trace(gs[put("open")]); gs = "read"; ax[put("key"), gs]++; trace(ax[1, "key"]); }
			exec { gs = "read"; @keys[gs, put("key")] = count(); @both[strchr(gs, 96 + 5 * put("key"))] = count(); }`},
		{"cell of a thread that is asked for again after a loop",
			`syscall:::entry { go = self->so; do { 1; } while (gc; max 4); printf("%d %s %x", (self->su++), "", 1); }`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &testCase{text: gen.Decls + `int64_t spin(int n) { int64_t l; do l += 2 * n--; while (n > 0; max 9); return l; }` + tt.script, shots: m.shots(rand.New(rand.NewPCG(1, 2))), opts: gen.Options()}
			older := own
			older.Verifier |= codegen.IdleRegs | codegen.SpillsForget // which must not harm here
			for _, m.features = range []codegen.Features{older, own} {
				bad, err := c.run(m)
				if err != nil {
					t.Fatal(err)
				}
				if bad != nil {
					t.Errorf("%s\n%s", bad, c.explain(m))
				}
			}
		})
	}
}
