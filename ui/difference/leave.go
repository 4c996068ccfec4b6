package difference

import (
	"math"
	"slices"
	"strings"

	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// leave says why a dimension is not looked at; "" if it is. What the selection or the
// aggregated value is made of differs by construction, and to say so explains nothing.
func (s *sample) leave(d dimension) string {
	expr := words(d.Expr)
	for _, by := range s.q.By {
		if slices.Equal(words(by), expr) {
			return "the selection was made by it"
		}
	}
	for _, w := range expr {
		if isClock[w] {
			return "it is a time"
		}
	}
	for i := range s.q.Origins {
		if o := &s.q.Origins[i]; o.Arg != "" && (holds(words(o.Arg), expr) || holds(expr, words(o.Arg))) {
			return "the aggregated value is made of it"
		}
	}
	return s.follows(d)
}

// isClock are the variables that tell the time, or what only grows with it.
var isClock = map[string]bool{"timestamp": true, "vtimestamp": true, "walltimestamp": true, "uptime": true}

// words returns the words of an expression.
func words(expr string) (out []string) {
	f := token.NewFile("", "BEGIN{"+expr+"}") // as what stands in a clause
	for _, t := range scanner.Scan(f) {
		if t.Kind != token.EOF {
			out = append(out, f.Text(t.Span))
		}
	}
	if len(out) < 3 {
		return nil
	}
	return out[2 : len(out)-1]
}

// holds reports whether part stands in whole, other than as an index: a[x] is not made of x.
func holds(whole, part []string) bool {
	if len(part) == 0 {
		return false
	}
	depth := 0
	for i, w := range whole {
		switch w {
		case "[":
			depth++
		case "]":
			depth--
		}
		if depth > 0 || !slices.Equal(whole[i:min(i+len(part), len(whole))], part) {
			continue
		}
		if i > 0 && isSelector(whole[i-1]) || i+len(part) < len(whole) && isSelector(whole[i+len(part)]) {
			continue // another thing, which only begins or ends like it
		}
		return true
	}
	return false
}

// isSelector reports whether a word goes from a thing to another one that belongs to it.
func isSelector(w string) bool { return w == "->" || w == "." || w == "[" || w == "`" }

// enough is how many examples tell that two numbers go together.
const enough = 32

// follows finds the dimensions that are the aggregated value, or the time, by another
// name: variables that the clause computes.
func (s *sample) follows(d dimension) string {
	var facts, values, times []float64
	same := true
	for _, e := range s.all {
		v := d.fact(e)
		if v == nil {
			continue
		}
		if v.Kind != trace.IntValue && v.Kind != trace.UintValue {
			return ""
		}
		same = same && v.Int == e.Value
		facts, values = append(facts, float64(v.Int)), append(values, float64(e.Value))
		times = append(times, float64(e.Time.UnixNano()))
	}
	switch {
	case same && len(facts) >= scarce && distinct(facts, 2) == 2:
		return "it is the aggregated value"
	case distinct(facts, enough) < enough:
		return ""
	case correlation(facts, values) > 0.9999:
		return "it is the aggregated value"
	case correlation(facts, times) > 0.99 && distinct(facts, len(facts)) > len(facts)/2:
		return "it is a time"
	}
	return ""
}

// distinct counts different numbers, up to most.
func distinct(list []float64, most int) int {
	seen := map[float64]bool{}
	for _, n := range list {
		if seen[n] = true; len(seen) >= most {
			break
		}
	}
	return len(seen)
}

// correlation is Pearson's; 0 where one of the two does not vary.
func correlation(x, y []float64) float64 {
	var mx, my float64
	for i := range x {
		mx += x[i] / float64(len(x))
		my += y[i] / float64(len(y))
	}
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// isName reports whether the numbers of a dimension are names, which no order or size is
// behind.
func isName(d trace.Dimension) bool {
	w := words(d.Expr)
	return names[strings.ToLower(d.Name)] || len(w) > 0 && names[strings.ToLower(w[len(w)-1])]
}

var names = map[string]bool{
	"pid": true, "tid": true, "ppid": true, "tgid": true, "pr_pid": true, "pr_lwpid": true, "thread": true, "user": true,
	"uid": true, "gid": true, "euid": true, "egid": true, "pr_uid": true, "pr_gid": true,
	"cpu": true, "curcpu": true, "cpu_id": true, "fd": true, "fi_fd": true, "descriptor": true, "ino": true, "i_ino": true, "dev": true,
	"epid": true, "id": true, "errno": true, "error": true, "port": true,
}
