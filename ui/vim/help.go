package vim

// A HelpLine tells what keys do.
type HelpLine struct{ Keys, Text string }

// help tells of every key of the tables, in lines that fit a small screen; a test compares them.
var help = []HelpLine{
	{"i a", "insert before the cursor, behind it"},
	{"I A", "insert at the first word, at the end of the line"},
	{"o O", "insert in a new line below, above"},
	{"R", "type over what is there"},
	{"h j k l", "left, down, up, right; counts work: 3j"},
	{"w b e ge", "next word, its start, its end, end of the one before"},
	{"W B E gE", "the same by words that blanks alone end"},
	{"0 ^ $", "start of the line, its first word, its end"},
	{"+ - _", "first word of the next line, the one above, this"},
	{"gg G", "first line, last line, or that of a count"},
	{"{ } %", "start and end of the paragraph; the other bracket"},
	{"f F t T", "to a character of the line, back; up to it, back"},
	{"; ,", "the same character again, the other way"},
	{"/ ? n N", "search, search back; next place, the one before"},
	{"* #", "next place of the word, the one before"},
	{"m ` '", "mark a place with a letter; go to it, to its line"},
	{"d c y", "delete, change, copy: dw, c$, y}; dd is the line"},
	{"> < =", "indent lines, less, as D is laid out"},
	{"gu gU g~", "small letters, capitals, the other of both"},
	{"iw aW ip", "after an operator: word, with blanks, paragraph"},
	{"i( a{ i[ a<", "what is between brackets, or with them"},
	{"i\" a' i`", "what is between quotes, or with them"},
	{"x X D", "dl dh d$: delete a character, before, to the end"},
	{"s S C Y", "cl cc c$ yy"},
	{"r ~ J", "replace a character, change its case; join lines"},
	{"p P", "put what was deleted or copied behind, before"},
	{"u ctrl+r .", "undo, redo, make the last change again"},
	{"v V", "select, select lines; then a motion, an operator"},
	{"\"", "\"ayy \"ap: a register; \"+ clipboard, \"_ nowhere"},
	{"q @", "qa records keys up to q, @a presses them again"},
	{"ctrl+f ctrl+b", "a page on, a page back"},
	{"ctrl+d ctrl+u", "half a page on, half a page back"},
	{"zz zt zb", "have the line in the middle, above, below"},
	{"gd K ]d", "declaration, meaning of the word, next complaint"},
	{":", ":w :q :wq :x :e FILE :bn :ls :12 :noh :%s/a/b/g"},
	{"ZZ ZQ", "save and close, close without saving"},
	{"tab ctrl+w", "next pane; with w h j k o behind it, that pane"},
}

// Help tells what the keys of Vim do.
func Help() []HelpLine { return help }
