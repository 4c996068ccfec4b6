package container

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The runtimes by name.
const (
	docker     = "docker"
	podman     = "podman"
	containerd = "containerd"
	crio       = "cri-o"
	lxc        = "lxc"
	machine    = "machine" // systemd-nspawn and whoever else registers with systemd-machined
)

// A place is a container as the path of a control group tells of it.
type place struct {
	id, runtime      string
	group            string // the path up to it
	podUID, podGroup string // of the pod around it; "" if there is none
}

// scopes are what runtimes that leave control groups to systemd put before the ID in the
// name of a scope, and others in the name of a folder.
var scopes = []struct{ prefix, runtime string }{
	{"docker-", docker},
	{"libpod-payload-", podman},
	{"libpod-", podman},
	{"cri-containerd-", containerd},
	{"nerdctl-", containerd},
	{"crio-", crio},
}

// folders are what the folder is called in which others have one for each ID.
var folders = map[string]string{"docker": docker, "libpod_parent": podman}

// placesIn returns the containers that the path of a control group leads into, the outermost
// first.
//
//	/system.slice/docker-ID.scope
//	/docker/ID
//	/machine.slice/libpod-ID.scope/container
//	/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podUID.slice/cri-containerd-ID.scope
//	/kubepods/besteffort/podUID/ID
//	/lxc.payload.NAME
//	/machine.slice/machine-NAME.scope
func placesIn(path string) (list []place) {
	var podUID, podGroup, parent string
	for i := 0; i < len(path); {
		end := strings.IndexByte(path[i+1:], '/')
		if end < 0 {
			end = len(path)
		} else {
			end += i + 1
		}
		name, group := path[i+1:end], path[:end]
		if uid := podOf(name, parent); uid != "" {
			podUID, podGroup = uid, group
		} else if id, runtime := containerOf(name, parent); id != "" {
			list = append(list, place{printable(id), runtime, group, podUID, podGroup})
			podUID, podGroup = "", "" // what lies deeper is another's
		}
		parent, i = name, end
	}
	return list
}

// podOf returns the uid of the pod whose control group has that name.
func podOf(name, parent string) string {
	if !strings.HasPrefix(name, "kubepods") && !strings.HasPrefix(parent, "kubepods") && parent != "burstable" && parent != "besteffort" {
		return ""
	}
	name, slice := strings.CutSuffix(name, ".slice")
	if i := strings.LastIndex(name, "-pod"); slice && i >= 0 {
		return strings.ReplaceAll(name[i+len("-pod"):], "_", "-") // systemd has a meaning for the other
	}
	uid, ok := strings.CutPrefix(name, "pod")
	if slice || !ok {
		return ""
	}
	return uid
}

// containerOf returns the ID of the container whose control group has that name.
func containerOf(name, parent string) (id, runtime string) {
	if isID(name) {
		return name, folders[parent]
	}
	if part := strings.Split(name, ":"); len(part) == 3 && isID(part[2]) { // of systemd, without it at work
		return part[2], runtimeOf(part[1] + "-")
	}
	bare, scope := strings.CutSuffix(name, ".scope")
	for _, s := range scopes {
		if id, ok := strings.CutPrefix(bare, s.prefix); ok && isID(id) {
			return id, s.runtime
		}
	}
	if name, ok := strings.CutPrefix(name, "lxc.payload."); ok {
		return name, lxc
	}
	if parent == "lxc" || parent == "lxc.payload" {
		return name, lxc
	}
	if parent != "machine.slice" {
		return "", ""
	}
	if name, ok := strings.CutPrefix(bare, "machine-"); ok && scope {
		return unescape(name), machine
	}
	if name, ok := strings.CutPrefix(name, "systemd-nspawn@"); ok {
		return unescape(strings.TrimSuffix(name, ".service")), machine
	}
	return "", ""
}

func runtimeOf(prefix string) string {
	for _, s := range scopes {
		if s.prefix == prefix {
			return s.runtime
		}
	}
	return ""
}

// isID reports whether text is an ID as all of the runtimes make them that have any.
func isID(text string) bool { return len(text) == 64 && isHex(text) }

func isHex(text string) bool {
	return text != "" && strings.Trim(text, "0123456789abcdef") == ""
}

// unescape reads what systemd writes of a name: \x2d for the dash that it has a meaning for.
func unescape(name string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(name, `\x`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if len(after) >= 2 {
			if n, err := strconv.ParseUint(after[:2], 16, 8); err == nil {
				b.WriteByte(byte(n))
				name = after[2:]
				continue
			}
		}
		b.WriteString(`\x`)
		name = after
	}
}

// Dir returns the folder of the container's control group.
func (m Machine) Dir(c *Container) (string, error) {
	if c.Group == "" {
		return "", fmt.Errorf("%s has no control group of version 2, by which the kernel tells its firings: this machine keeps it in those of version 1 (boot with systemd.unified_cgroup_hierarchy=1)", c)
	}
	text, err := os.ReadFile(filepath.Join(m.Proc, "self", "mountinfo"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		root, at, ok := groupMount(line)
		if !ok {
			continue
		}
		inside, ok := strings.CutPrefix(c.Group, strings.TrimSuffix(root, "/"))
		if !ok || inside != "" && inside[0] != '/' || strings.Contains(c.Group, "/../") {
			continue
		}
		dir := filepath.Join(at, inside)
		if _, err := os.Stat(dir); err != nil {
			return "", fmt.Errorf("the control group of %s: %w", c, err)
		}
		return dir, nil
	}
	return "", fmt.Errorf("the control group of %s, %s, cannot be seen here: no file system of type cgroup2 that shows it is mounted", c, c.Group)
}

// groupMount reads a line of mountinfo: which part of the hierarchy of version 2 is mounted
// where.
//
//	28 25 0:23 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw
func groupMount(line string) (root, at string, ok bool) {
	before, after, _ := strings.Cut(line, " - ")
	f := strings.Fields(before)
	if len(f) < 5 || !strings.HasPrefix(after, "cgroup2 ") {
		return "", "", false
	}
	return f[3], strings.ReplaceAll(f[4], `\040`, " "), true
}
