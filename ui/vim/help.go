package vim

// A HelpLine tells what keys do.
type HelpLine struct{ Keys, Text string }

// help tells of every key of the tables: a test compares them.
var help = []HelpLine{
	{"i a I A", "insert before or behind the cursor, at the start or end of the line; the other keys of the script hold there"},
	{"o O R", "insert in a new line below or above; type over what is there"},
	{"h j k l", "left, down, up, right; all motions take counts: 3j"},
	{"w b e ge", "next word, start of the word, its end, the end of the one before"},
	{"W B E gE", "the same by words that blanks alone end"},
	{"0 ^ $ + -", "start of the line, its first word, its end; first word of the next line, of the one above"},
	{"gg G { } %", "first line, last line or that of the count, start and end of the paragraph, partner of the bracket"},
	{"f F t T ; ,", "to the next character that follows, before it, up to it; again, the other way"},
	{"/ ? n N * #", "search, back; next place found, the one before; the word at the cursor"},
	{"m ' `", "mark a place with the letter that follows; go to its line, or to it; '' goes back after a jump"},
	{"d c y", "delete, change, copy up to where a motion goes: dw, c$, y}; doubled, lines: dd"},
	{"> < = gu gU g~", "indent lines, less, as D is laid out; make small letters, capitals, the other of both"},
	{"iw aW ip", "instead of a motion: inside the word, all of it and a blank, the paragraph"},
	{"i( a{ i[ a< i\" a' i`", "inside brackets or quotes, and with them; ib is i(, iB is i{"},
	{"x X D s S C Y", "dl dh d$ cl cc c$ yy"},
	{"r ~ J p P", "put one character in its place, change its case; join lines; put what was copied behind, before"},
	{"u ctrl+r .", "undo, redo, make the last change again"},
	{"v V", "select, select lines; then a motion or object, and what to do: also o, u and U"},
	{"\"", "with a letter before d, c, y and p: in that register; \"+ is the clipboard, \"_ nowhere, \"0 what was copied"},
	{"q @", "record keys under a letter up to the next q; press them again; @@ those played last"},
	{"ctrl+f ctrl+b", "a page on, a page back"},
	{"ctrl+d ctrl+u", "half a page on, half a page back"},
	{"zz zt zb", "have the line in the middle, above, below"},
	{"gd K ]d", "to the declaration of the name; what it means; to the next complaint"},
	{":", ":w :q :wq :x :wa :qa :e FILE :enew :bn :bp :bd :ls, :12, :%s/this/that/gi, :noh"},
	{"ZZ ZQ tab", "save and close, close without saving; next pane"},
	{"ctrl+w", "then w: next pane; h, j, k: probes, output, live; o: enlarge"},
}

// Help tells what the keys of Vim do.
func Help() []HelpLine { return help }
