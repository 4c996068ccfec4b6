// Package lib holds D's library: the types, inlines, functions and translators that every
// script may use without saying so, such as psinfo_t, curpsinfo and SIGINT.
//
// The library is text, in D, and ships inside the binary. Scripts name a few of
// its hundreds of declarations, so nothing is parsed before it is named: an
// Index splits the texts into items and knows which names each declares, and
// the checker asks for an item when it meets a name that the script does not
// declare. What an item needs is asked for in the same way. So a declaration
// that this kernel cannot satisfy harms nobody who does not use it.
//
// A name may be declared more than once, and a member of a translator too: these
// are alternatives, for kernels that differ, and the first that can be had counts.
//
// Libraries of the user, from -L and -x libdir, are indexed in the same way and
// come before the library inside (depend.go sorts them and finds what is missing).
//
// The texts say which names the guides of DTrace document, and of which type;
// how a value is found in the kernel of Linux is our own work. A text that
// depends on the machine carries its name: regs_arm64.d.
package lib

import (
	"embed"
	"io/fs"
	"strings"
	"sync"

	"dscope.dev/dlang/machine"
)

//go:embed d/*.d
var texts embed.FS

// Own returns the library inside the binary, for this machine. It is indexed
// when it is first asked for.
var Own = sync.OnceValue(func() *Index {
	x := NewIndex()
	entries, err := fs.ReadDir(texts, "d")
	if err != nil {
		panic("lib: " + err.Error())
	}
	for _, e := range entries {
		name, arch, special := strings.Cut(strings.TrimSuffix(e.Name(), ".d"), "_")
		if special && arch != machine.Here().Name {
			continue
		}
		text, err := texts.ReadFile("d/" + e.Name())
		if err != nil {
			panic("lib: " + err.Error())
		}
		x.Add(name+".d", string(text))
	}
	return x
})

// Source returns the text of a file of the library, called as an Item calls it.
func Source(file string) (text string, ok bool) {
	b, err := texts.ReadFile("d/" + file)
	if err != nil { // Own cuts the machine off the name
		b, err = texts.ReadFile("d/" + strings.TrimSuffix(file, ".d") + "_" + machine.Here().Name + ".d")
	}
	return string(b), err == nil
}
