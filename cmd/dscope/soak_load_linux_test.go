package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// loads are what a soak can do beside its tracers, by name; each does one round.
var loads = map[string]func() error{
	"reads":   readAndWrite,
	"forks":   forkAndExec,
	"futexes": contend,
	"sockets": talk,
	"memory":  mapAndUnmap,
}

// load does what its arguments name, for ever and all at once.
func load() {
	var kinds []string
	for name := range loads {
		kinds = append(kinds, name)
	}
	for _, name := range os.Args[1:] {
		if !slices.Contains(kinds, name) {
			fatal(fmt.Errorf("no load is called %q; there are %s", name, strings.Join(kinds, " ")))
		}
		go func() {
			for {
				if err := loads[name](); err != nil {
					fatal(fmt.Errorf("load %s: %w", name, err))
				}
			}
		}()
	}
	select {}
}

// readAndWrite copies in small pieces, as dd does with a small block size.
func readAndWrite() error {
	from, err := unix.Open("/dev/zero", unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(from)
	to, err := unix.Open("/dev/null", unix.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(to)
	b := make([]byte, 512)
	for range 1000 {
		if _, err := unix.Read(from, b); err != nil {
			return err
		}
		if _, err := unix.Write(to, b); err != nil {
			return err
		}
	}
	return nil
}

func forkAndExec() error { return exec.Command("calls", "1").Run() }

// contend lets threads wait for one mutex.
func contend() error {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				mu.Lock()
				unix.Getppid()
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return nil
}

// talk sends bytes to and fro over loopback.
func talk() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			b := make([]byte, 64)
			for n, err := c.Read(b); err == nil; n, err = c.Read(b) {
				c.Write(b[:n])
			}
			c.Close()
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return err
	}
	defer c.Close()
	b := make([]byte, 64)
	for range 100 {
		if _, err := c.Write(b); err != nil {
			return err
		}
		if _, err := c.Read(b); err != nil {
			return err
		}
	}
	return nil
}

// mapAndUnmap takes memory page by page and gives it back.
func mapAndUnmap() error {
	b, err := unix.Mmap(-1, 0, 4<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	return unix.Munmap(b)
}
