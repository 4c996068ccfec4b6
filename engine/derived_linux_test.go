package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"dscope.dev/probes"
)

// derivedProviders are the providers whose probes are made of others.
var derivedProviders = []string{"io", "ip", "lockstat", "mib", "proc", "sched", "sysinfo", "tcp", "udp", "vminfo"}

// TestDerivedCompile compiles for each probe that is made of others, and can be had
// here, a clause that reads all its arguments. One that cannot be had must say so.
func TestDerivedCompile(t *testing.T) {
	e := tracing(t)
	ctx := context.Background()
	var script strings.Builder
	had := map[string]bool{}
	for _, name := range derivedProviders {
		entries, err := e.registry.Match(ctx, probes.Pattern{Provider: name})
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			sites, err := e.registry.Sites(entry)
			if err != nil {
				t.Logf("%s: %v", entry.Probe, err)
				continue
			}
			had[name] = true
			fmt.Fprintf(&script, "%s {", entry.Probe)
			for i, a := range sites[0].Args {
				fmt.Fprintf(&script, " trace(arg%d);", a.Slot)
				if a.As == "" || a.As == "string" {
					fmt.Fprintf(&script, " trace(args[%d]);", i)
					continue
				}
				if read[a.As] == nil {
					t.Errorf("%s: nothing reads %s", entry.Probe, a.As)
				}
				for _, member := range read[a.As] {
					fmt.Fprintf(&script, " trace(args[%d]->%s);", i, member)
				}
			}
			script.WriteString(" }\n")
		}
	}
	for _, name := range derivedProviders {
		if !had[name] {
			t.Errorf("%s: none of its probes can be had here", name)
		}
	}
	s := started(t, e, script.String()+"tick-1s { exit(0); }", 0)
	o := all(s, 0)
	if o.records() == 0 {
		t.Error("nothing fired")
	}
}

// read are expressions of what scripts see as arguments, which between them need all
// that the translators need of the kernel.
var read = map[string][]string{
	"psinfo_t *":   {"pr_nlwp", "pr_pid", "pr_ppid", "pr_pgid", "pr_sid", "pr_uid", "pr_fname", "pr_psargs", "pr_dmodel"},
	"lwpsinfo_t *": {"pr_flag", "pr_lwpid", "pr_addr", "pr_state", "pr_sname", "pr_pri", "pr_name", "pr_onpro", "pr_clname"},
	"bufinfo_t *":  {"b_flags", "b_bcount", "b_blkno", "b_resid", "b_bufsize", "b_error", "b_edev"},
	"devinfo_t *":  {"dev_major", "dev_minor", "dev_name", "dev_statname", "dev_pathname"},
	"fileinfo_t *": {"fi_name", "fi_pathname", "fi_offset", "fi_fs", "fi_oflags"},
	"pktinfo_t *":  {"pkt_addr"},
	"csinfo_t *":   {"cs_addr", "cs_cid", "cs_pid"},
	"ipinfo_t *":   {"ip_ver", "ip_plength", "ip_saddr", "ip_daddr"},
	"ifinfo_t *":   {"if_name", "if_local", "if_ipstack", "if_addr"},
	"ipv4info_t *": {"ipv4_ver", "ipv4_ihl", "ipv4_length", "ipv4_ttl", "ipv4_protostr", "ipv4_saddr", "ipv4_daddr"},
	"ipv6info_t *": {"ipv6_ver", "ipv6_flow", "ipv6_plen", "ipv6_nextstr", "ipv6_hlim", "ipv6_saddr", "ipv6_daddr"},
	"tcpinfo_t *":  {"tcp_sport", "tcp_dport", "tcp_seq", "tcp_flags", "tcp_window"},
	"tcpsinfo_t *": {"tcps_local", "tcps_lport", "tcps_rport", "tcps_laddr", "tcps_raddr", "tcps_state", "tcps_suna",
		"tcps_snxt", "tcps_rnxt", "tcps_swnd", "tcps_rwnd", "tcps_cwnd", "tcps_mss", "tcps_retransmit", "tcps_srtt"},
	"tcplsinfo_t *": {"tcps_state"},
	"udpinfo_t *":   {"udp_sport", "udp_dport", "udp_length", "udp_checksum"},
	"udpsinfo_t *":  {"udps_addr", "udps_lport", "udps_rport", "udps_laddr", "udps_raddr"},
	"cpuinfo_t *":   {"cpu_id"},
}
