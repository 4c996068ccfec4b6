package ink

import "unicode"

// Agreed returns as much of a character as terminals draw equally wide. What they are not
// at one about would shift everything behind it, and no drawing anew would help: emoji that
// are joined into one or coloured (some draw one, others all parts side by side), and the
// signs that ask for an emoji in place of a letter. Of a family the first is left, of a
// skin the yellow; the text itself stays what it is.
func Agreed(cluster string) string {
	joined := -1 // where a joiner stands
	for i, r := range cluster {
		switch {
		case r == '\ufe0f', r == '\u20e3', i > 0 && r >= '\U0001f3fb' && r <= '\U0001f3ff':
			return cluster[:i]
		case joined >= 0 && unicode.Is(unicode.So, r):
			return cluster[:joined]
		}
		if joined = -1; r == '\u200d' {
			joined = i
		}
	}
	if joined > 0 { // some would join what stands behind it, whatever that is
		return cluster[:joined]
	}
	return cluster
}
