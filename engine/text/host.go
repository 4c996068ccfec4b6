package text

import "bytes"

// hostWidth is how wide the column of hosts is that the output of a fleet has.
const hostWidth = 12

// hosted puts a host in front of each line that was printed from p.b[at] on. A line that one
// host has begun is not gone on with by another.
func (p *Printer) hosted(host string, at int) {
	at = min(at, len(p.b)) // what was printed before a command ran has been written
	if at == len(p.b) {
		return
	}
	lines := append([]byte(nil), p.b[at:]...)
	p.b = p.b[:at]
	if p.begun != "" && p.begun != host {
		p.b = append(p.b, '\n')
		p.begun = ""
	}
	for len(lines) > 0 {
		line, rest, ended := bytes.Cut(lines, []byte("\n"))
		if p.begun == "" && len(line) > 0 {
			p.b = p.safe(p.b, host)
			for n := len(host); n < hostWidth; n++ {
				p.b = append(p.b, ' ')
			}
			p.b = append(p.b, ' ')
		}
		p.b = append(p.b, line...)
		if p.begun = host; ended {
			p.b, p.begun = append(p.b, '\n'), ""
		}
		lines = rest
	}
}

// ofHost puts a host into a complaint: dtrace: web-1: ….
func ofHost(host string, line []byte) []byte {
	const says = "dtrace: "
	if host == "" || !bytes.HasPrefix(line, []byte(says)) {
		return line
	}
	return append(append(append([]byte(says), host...), ": "...), line[len(says):]...)
}
