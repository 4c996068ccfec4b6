// Package derived publishes the providers whose probes are made of other hooks:
// proc, sched, io, and their like.
//
// Such a provider is data: a text in d/, near to D, that says of each probe of
// which others it is made. This is the smallest whole provider, and the place to
// start for whoever adds the next:
//
//	/* what the scheduler does */
//	provider sched {
//		/* The thread leaves the processor; the arguments are the next one. */
//		probe off-cpu(struct task_struct *T) : (lwpsinfo_t *T, psinfo_t *T)
//			= rawtp:::sched_switch /args[1] != args[2]/ (args[2]);
//	};
//
// The first list of a probe declares its raw arguments, arg0 and those that
// follow, of types of the kernel; the second what scripts see as args[0] and so
// on, each translated from the raw argument of its name by a translator of D's
// library. Without a second list they are the raw ones. Behind the equals sign
// stand the hooks:
//
//	provider:module:function:name /condition/ (expression, …) { assignment; … }
//
// The hook is the probe of another provider. The condition, the expressions from
// which the raw arguments are computed and the assignments are D, and in them
// args[] and arg0 are those of the hook. A firing for which the condition is false
// does not count; it costs what a predicate costs. Expressions that no clause reads
// cost nothing. The assignments come at the end of a firing.
//
// A probe that fires in several places joins hooks with a plus sign: the first
// must be there, others are left out where this kernel lacks them. Alternatives
// are separated by a bar: the first that this kernel has counts, so the best comes
// first. A hook is there if its provider gives it a site, and if it has as many
// arguments as the expressions name.
//
// What one hook must note for another stands between the probes, as a clause:
//
//	rawtp:::contention_begin /args[1] & 1/ { self->since = timestamp; }
//
// It runs, before the clauses of any script, if a probe of the provider that is
// enabled reads a variable that it assigns. The variables are the provider's own. A
// clause and the probes that read what it assigns must have different hooks,
// because nothing says which of two programs at one hook comes first.
//
// A probe that has a module and a function, as those of other systems may, is declared
// under all three: probe vop:vop_read:entry(…). Others are in the module vmlinux.
//
// A comment before the provider or a probe is its help. Everything is listed on
// every kernel; a probe whose hooks a kernel lacks says which.
//
// A text is named for its provider and is read when somebody asks for one of its
// probes. Those who ask for others pay, once, a search for all names in each text
// (glance.go).
package derived

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"

	"dscope.dev/dlang/types"
	"dscope.dev/probes"
)

//go:embed d/*.d
var texts embed.FS

// module is the module under which probes are listed that have none of their own.
const module = "vmlinux"

// probeOf returns the probe of a provider that a text declares under a name.
func probeOf(provider, declared string) probes.Probe {
	if part := strings.Split(declared, ":"); len(part) == 3 {
		return probes.Probe{Provider: provider, Module: part[0], Function: part[1], Name: part[2]}
	}
	return probes.Probe{Provider: provider, Module: module, Name: declared}
}

// A Kernel resolves the types that the texts name.
type Kernel interface {
	CType(text string) (types.Type, error)
}

// A Provider publishes the probes of one text.
type Provider struct {
	name   string
	text   []byte
	list   func() []probes.Probe // in the order of their names
	decl   func() (*provider, error)
	kernel Kernel
	under  map[string]probes.Provider // whose probes the text names
}

// New returns the providers of all texts, in the order of their names, over
// those whose probes they may name.
func New(k Kernel, under ...probes.Provider) ([]probes.Provider, error) {
	entries, err := fs.ReadDir(texts, "d")
	if err != nil {
		return nil, err
	}
	named := map[string]probes.Provider{}
	for _, u := range under {
		named[u.Name()] = u
	}
	var list []probes.Provider
	for _, e := range entries {
		text, err := texts.ReadFile("d/" + e.Name())
		if err != nil {
			return nil, err
		}
		list = append(list, newProvider(e.Name(), text, k, named))
	}
	return list, nil
}

func newProvider(file string, text []byte, k Kernel, under map[string]probes.Provider) *Provider {
	return &Provider{
		name: strings.TrimSuffix(file, ".d"), text: text, kernel: k, under: under,
		list: sync.OnceValue(func() (list []probes.Probe) {
			for _, name := range declared(text) {
				list = append(list, probeOf(strings.TrimSuffix(file, ".d"), name))
			}
			return list
		}),
		decl: sync.OnceValues(func() (*provider, error) { return parse(file, string(text)) }),
	}
}

// Name returns the name of the provider.
func (p *Provider) Name() string { return p.name }

// Help says what the family is for.
func (p *Provider) Help() string { return heading(p.text) }

// Available returns nil: each probe says for itself what it lacks.
func (*Provider) Available() error { return nil }

// Traits returns what sets the family apart.
func (p *Provider) Traits() probes.Traits {
	return probes.Traits{MayMatch: p.MayMatch, Sites: p.Sites, Declared: p.Declared}
}

// MayMatch rules out what no probe of the family is called.
func (p *Provider) MayMatch(pat probes.Pattern) bool {
	return slices.ContainsFunc(p.list(), pat.Matches)
}

// Match yields the probes that pat covers, by name.
func (p *Provider) Match(ctx context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		for _, q := range p.list() {
			if pat.Matches(q) && !yield(q, ctx.Err()) {
				return
			}
		}
	}
}

// Site returns the first place at which q fires.
func (p *Provider) Site(q probes.Probe) (*probes.Site, error) {
	return probes.First(p.Sites(q))
}

// Sites finds hooks for q: the first alternative that is there.
func (p *Provider) Sites(q probes.Probe) ([]*probes.Site, error) {
	decl, err := p.decl()
	if err != nil {
		return nil, err
	}
	d := decl.find(q)
	if d == nil {
		return nil, &probes.NoMatch{Pattern: probes.Pattern(q), Part: probes.NamePart}
	}
	args, raw, err := p.args(d)
	if err != nil {
		return nil, err
	}
	var why error
	for _, alternative := range d.hooks {
		sites, err := p.sites(alternative, raw)
		if err != nil {
			why = worse(why, err)
			continue
		}
		for _, s := range sites {
			s.Probe, s.Args, s.Raw, s.Help = q, args, len(raw), d.help
		}
		return sites, nil
	}
	return nil, why
}

// Declared returns what the text says of q, whatever hooks there are.
func (p *Provider) Declared(q probes.Probe) *probes.Site {
	decl, err := p.decl()
	if err != nil {
		return nil
	}
	d := decl.find(q)
	if d == nil {
		return nil
	}
	args, raw, err := p.args(d)
	if err != nil {
		return nil
	}
	return &probes.Site{Probe: q, Args: args, Raw: len(raw), Help: d.help}
}

// worse keeps the reason that the first alternative gives, with the last one's.
func worse(first, last error) error {
	if first == nil {
		return last
	}
	return fmt.Errorf("%w, and %w", first, last)
}

// args returns the arguments that scripts see, and the types of the raw ones.
func (p *Provider) args(d *probe) (args []probes.Arg, raw []types.Type, err error) {
	for _, a := range d.in {
		t, err := p.kernel.CType(a.typ)
		if err != nil {
			return nil, nil, err
		}
		raw = append(raw, t)
	}
	for _, a := range d.out {
		in := d.in[a.from]
		arg := probes.Arg{Name: a.name, Type: raw[a.from], Slot: a.from, User: in.user}
		if a.typ != in.typ {
			arg.As = a.typ
		}
		args = append(args, arg)
	}
	return args, raw, nil
}

// sites returns a site for each hook of an alternative that this kernel has, the
// first of which it must have.
func (p *Provider) sites(hooks []*hook, raw []types.Type) ([]*probes.Site, error) {
	var list []*probes.Site
	for i, h := range hooks {
		on, err := p.on(h)
		if err != nil && i == 0 {
			return nil, err
		}
		if err != nil {
			continue
		}
		state, err := p.state(h)
		if err != nil && i == 0 {
			return nil, err
		}
		if err != nil {
			continue
		}
		s := *on // its hook, and all that says how a program is entered there
		s.Lacks = ""
		s.Derived = &probes.Derivation{On: on, When: h.when, Values: h.values, Types: raw, Then: h.then, State: state}
		list = append(list, &s)
	}
	return list, nil
}

// on returns the site of a hook.
func (p *Provider) on(h *hook) (*probes.Site, error) {
	under := p.under[h.probe.Provider]
	if under == nil {
		return nil, fmt.Errorf("it is made of %s, and there is no provider %s", h.probe, h.probe.Provider)
	}
	if err := under.Available(); err != nil {
		return nil, fmt.Errorf("it is made of %s: %w", h.probe, err)
	}
	on, err := under.Site(h.probe)
	if err != nil {
		return nil, fmt.Errorf("it is made of %s: %w", h.probe, err)
	}
	if h.uses > len(on.Args) {
		return nil, fmt.Errorf("it is made of %s, which has %d arguments here and not %d", h.probe, len(on.Args), h.uses)
	}
	return on, nil
}

// state returns what must be noted for h by other hooks: of the clauses that note
// the same, those whose hook is there.
func (p *Provider) state(h *hook) ([]*probes.State, error) {
	var list []*probes.State
	decl, why := p.decl()
	if why != nil {
		return nil, why
	}
	for _, s := range decl.states {
		if !h.reads(s) {
			continue
		}
		on, err := p.on(s)
		if err != nil {
			why = err
			continue
		}
		list = append(list, decl.shared(s, on))
	}
	if list == nil {
		return nil, why
	}
	return list, nil
}
