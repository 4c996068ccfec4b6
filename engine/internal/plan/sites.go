package plan

import (
	"dscope.dev/dlang/check"
	"dscope.dev/probes"
)

// Sites are those that a description covers, as the checker passes them through.
type Sites []*probes.Site

// CheckSites marks Sites as what the checker passes through.
func (Sites) CheckSites() {}

// CheckOpening marks an Opening as what the checker passes through.
func (*Opening) CheckOpening() {}

// SitesOf returns the sites of a description, none if it covers none.
func SitesOf(set *check.ProbeSet) Sites {
	sites, _ := set.Sites.(Sites)
	return sites
}
