package lab

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Kernel is one that has been fetched.
type Kernel struct {
	Version string // as it was asked for: 6.12
	Dir     string // holds vmlinuz, release and modules
}

// Release returns what uname -r says in it.
func (k *Kernel) Release() string {
	b, err := os.ReadFile(filepath.Join(k.Dir, "release"))
	if err != nil {
		return k.Version
	}
	return strings.TrimSpace(string(b))
}

// suites are where Debian keeps kernels for the versions of the matrix. One that
// is gone is passed over, as long as another has the kernel.
var suites = [...]string{"bookworm", "bookworm-updates", "bookworm-backports",
	"trixie", "trixie-updates", "trixie-backports", "sid"}

// Fetch returns the newest kernel of a version (6.12) that Debian has, from the
// cache if it has been fetched before. Only one process fetches at a time.
func Fetch(version string) (*Kernel, error) {
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	k := &Kernel{Version: version, Dir: filepath.Join(cache, version)}
	if k.complete() {
		return k, nil
	}
	unlock, err := lock(filepath.Join(cache, "lock"))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if k.complete() { // by somebody else, while we waited
		return k, nil
	}
	a, err := openApt(filepath.Join(cache, "apt"))
	if err != nil {
		return nil, fmt.Errorf("fetch kernel %s: %w", version, err)
	}
	if err := a.fetch(version, k.Dir); err != nil {
		return nil, fmt.Errorf("fetch kernel %s: %w", version, err)
	}
	return k, nil
}

func (k *Kernel) complete() bool {
	_, err := os.Stat(filepath.Join(k.Dir, "vmlinuz"))
	return err == nil
}

// An apt is a state of apt's of our own: the archives that this machine is
// configured with, but the suites that have kernels, and nothing installed.
type apt struct {
	opts []string
}

// keyring signs Debian's archives.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

func openApt(dir string) (*apt, error) {
	for _, need := range [...]string{"apt-get", "dpkg-deb"} {
		if _, err := tool(need, "apt dpkg"); err != nil {
			return nil, err
		}
	}
	for _, d := range [...]string{"lists/partial", "cache/archives/partial", "empty"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	sources, err := sourcesList()
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"status": "", "sources.list": sources} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	a := &apt{}
	for _, o := range [...]string{
		"Dir::Etc::SourceList=" + dir + "/sources.list", "Dir::Etc::SourceParts=" + dir + "/empty",
		"Dir::Etc::PreferencesParts=" + dir + "/empty", "Dir::State::Lists=" + dir + "/lists",
		"Dir::State::status=" + dir + "/status", "Dir::Cache=" + dir + "/cache",
		"APT::Architecture=amd64", "APT::Sandbox::User=" + strconv.Itoa(os.Getuid()), "Acquire::Languages=none",
		"Acquire::Retries=5", "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false", "Debug::NoLocking=1",
	} {
		a.opts = append(a.opts, "-o", o)
	}
	return a, a.update(dir)
}

// fresh is for how long lists of packages are good enough.
const fresh = time.Hour

// update fetches the lists of packages, unless that has just been done.
func (a *apt) update(dir string) error {
	mark := filepath.Join(dir, "updated")
	if info, err := os.Stat(mark); err == nil && time.Since(info.ModTime()) < fresh {
		return nil
	}
	_, err := a.run(dir, "apt-get", "-qq", "update")
	if held, _ := filepath.Glob(filepath.Join(dir, "lists", "*_Packages*")); err != nil && len(held) == 0 {
		return fmt.Errorf("%w: %w", errUnreachable, err) // some suites may be gone, but not all
	}
	return os.WriteFile(mark, nil, 0o644)
}

// run calls one of apt's programs in a folder and returns what it printed.
func (a *apt) run(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, append(slices.Clone(a.opts), args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	return output(cmd)
}

// output returns what cmd printed; an error holds what it complained of.
func output(cmd *exec.Cmd) (string, error) {
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args[:1], " "), err, bytes.TrimSpace(complaint.Bytes()))
	}
	return string(out), err
}

// sourcesList names the archives that this machine gets packages from, with the
// suites that have kernels.
func sourcesList() (string, error) {
	out, err := output(exec.Command("apt-get", "indextargets",
		"--format", "$(REPO_URI) $(RELEASE)", "Identifier: Packages"))
	if err != nil {
		return "", err
	}
	return sourcesFrom(out)
}

// errUnreachable is why no kernel can be fetched on a machine without a network.
var errUnreachable = errors.New("no archive of kernels can be reached")

var (
	debianArchive   = regexp.MustCompile(`(?m)^(\S+/debian/) `)
	debianSecurity  = regexp.MustCompile(`(?m)^(\S+/debian-security/) (\S+-security)`)
	errNoDebianArch = fmt.Errorf("this machine's apt has no Debian archive among its sources: %w", errUnreachable)
)

func sourcesFrom(targets string) (string, error) {
	const by = "deb [arch=amd64 signed-by=" + keyring + "] "
	archive := debianArchive.FindStringSubmatch(targets)
	if archive == nil {
		return "", errNoDebianArch
	}
	var lines []string
	for _, m := range debianSecurity.FindAllStringSubmatch(targets, -1) {
		if line := by + m[1] + " " + m[2] + " main"; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	for _, s := range suites {
		lines = append(lines, by+archive[1]+" "+s+" main")
	}
	return strings.Join(lines, "\n") + "\n", nil
}

// fetch downloads the newest kernel of a version, takes it apart and puts it
// into dir as a whole.
func (a *apt) fetch(version, dir string) error {
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "fetch-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	names, err := a.run(tmp, "apt-cache", "pkgnames", "linux-image-"+version+".")
	if err != nil {
		return err
	}
	pkg := newest(strings.Fields(names), version)
	if pkg == "" {
		return fmt.Errorf("none of Debian's suites %v has a kernel %s for virtual machines any more", suites, version)
	}
	parts, err := a.parts(tmp, pkg)
	if err != nil {
		return err
	}
	if _, err := a.run(tmp, "apt-get", append([]string{"-qq", "download"}, parts...)...); err != nil {
		return err
	}
	debs, err := filepath.Glob(filepath.Join(tmp, "*.deb"))
	if err != nil {
		return err
	}
	for _, deb := range debs {
		if _, err := output(exec.Command("dpkg-deb", "-x", deb, filepath.Join(tmp, "x"))); err != nil {
			return err
		}
	}
	made := filepath.Join(tmp, "kernel")
	if err := arrange(filepath.Join(tmp, "x"), made); err != nil {
		return fmt.Errorf("package %s: %w", pkg, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(made, dir)
}

var partName = regexp.MustCompile(`(?m)^ *Depends: (linux-(?:base|binary|modules)-\S+)`)

// parts returns a package and those that it is split into: of newer kernels the
// image is a stub that depends on the rest.
func (a *apt) parts(dir, pkg string) ([]string, error) {
	out, err := a.run(dir, "apt-cache", "depends", "--important", pkg)
	if err != nil {
		return nil, err
	}
	parts := []string{pkg}
	for _, m := range partName.FindAllStringSubmatch(out, -1) {
		parts = append(parts, m[1])
	}
	return parts, nil
}

var digits = regexp.MustCompile(`\d+`)

// newest picks the last of the packages that are a kernel of the version for
// virtual machines: linux-image-6.12.107+deb13-cloud-amd64. "" is none.
func newest(names []string, version string) string {
	ours := regexp.MustCompile(`^linux-image-` + regexp.QuoteMeta(version) + `\.\d\S*-cloud-amd64$`)
	numbers := func(name string) []int {
		var list []int
		for _, d := range digits.FindAllString(name, -1) {
			n, _ := strconv.Atoi(d)
			list = append(list, n)
		}
		return list
	}
	names = slices.DeleteFunc(slices.Clone(names), func(s string) bool { return !ours.MatchString(s) })
	if len(names) == 0 {
		return ""
	}
	return slices.MaxFunc(names, func(a, b string) int { return slices.Compare(numbers(a), numbers(b)) })
}

// arrange moves the image and the modules of an unpacked package to dir.
func arrange(unpacked, dir string) error {
	var image, modules string
	err := filepath.WalkDir(unpacked, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), "vmlinuz") && d.Type().IsRegular():
			image = path
		case d.Name() == "modules.builtin":
			modules = filepath.Dir(path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if image == "" || modules == "" {
		return errors.New("it has no kernel image, or no modules, where they are looked for")
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	release := filepath.Base(modules)
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "release"), []byte(release+"\n"), 0o644),
		os.Rename(image, filepath.Join(dir, "vmlinuz")), // which may be among the modules
		os.Rename(modules, filepath.Join(dir, "modules")),
	)
}
