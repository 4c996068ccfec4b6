package record

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
)

// services are the names of ports by /etc/services; none where there is no such file, or it
// may not be read. Of several names of a port the first is it.
var services = sync.OnceValue(func() map[uint64]string {
	f, err := os.Open("/etc/services")
	if err != nil {
		return nil
	}
	defer f.Close()
	return readServices(f)
})

// mostServices bounds what is read of the file, in bytes: there are some 20 KB in it.
const mostServices = 4 << 20

// readServices reads lines such as "ssh 22/tcp # remote login".
func readServices(r io.Reader) map[uint64]string {
	names := map[uint64]string{}
	lines := bufio.NewScanner(io.LimitReader(r, mostServices))
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		number, _, _ := strings.Cut(words[1], "/")
		port, err := strconv.ParseUint(number, 10, 16)
		if _, known := names[port]; err == nil && !known {
			names[port] = words[0]
		}
	}
	return names
}

// appendService appends what a port is called, or its number.
func appendService(b []byte, port uint64) []byte {
	if name, ok := services()[port]; ok {
		return append(b, name...)
	}
	return strconv.AppendUint(b, port, 10)
}
