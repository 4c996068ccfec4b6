// Package dlang is the front door of the D compiler: this comment is the tour.
//
// A script becomes a running program in these steps. All but the last are in
// folders below this one, import nothing but the standard library, ask no
// kernel, and run, are fuzzed and are tested without privileges and off Linux.
//
//	cpp              what -C does before: includes, macros; every byte knows its origin
//	token, scanner   text to tokens; every token, comments included, has a place
//	ast, parser      tokens to a tree; always a tree, every mistake once
//	format           a tree back to text, comments kept
//	outline          where the parts of a script stand
//	refer            which places mean the same: definitions, references, renaming
//	complete         what could stand where the cursor is
//	explain          what a word means, and what a call takes
//	fix              complaints that know their remedy as changes of the text
//	grammar          a TextMate grammar, made from the words of the compiler
//	narrow           conditions put into a text, so that less is taken in
//	diag             complaints as values: place, tag, notes, hint
//	option           D's options, a row for each, and their values
//	types            D's types: C's, plus string
//	lib              D's library: text that is parsed name by name, as scripts ask
//	function         the table of D's functions: a row for each
//	machine, linux   what D's registers are on a processor, and which words of
//	                 the kernel D's functions read
//	bucket           which buckets histograms have, and where in a cell
//	check            what every name means and every expression's type; what it
//	                 must be told of probes and kernel types it asks of an Env
//	ir               functions of blocks of values, with a text form, a verifier
//	                 and the table of passes (ir/opt.go): read that table to
//	                 know what the compiler does to a program
//	lower            checked tree to ir, and the meaning of the bytes that the
//	                 program will record; its string functions are written in ir
//	engine/codegen   ir to eBPF; the only place that knows an instruction. Its rooms: mach
//	                 gives registers and puts blocks in order, walk walks stacks of
//	                 processes
//
// The phases hand on plain values: *token.File and *ast.Script, *check.Program,
// *lower.Result, *codegen.Object. None keeps global state, so scripts are
// compiled in parallel, and the same script on the same kernel gives the same
// bytes. A script with mistakes goes as far as the phase that found them: the
// parser's complaints and the checker's come together.
//
// # Words
//
// One meaning a word, here and in engine/codegen. DTrace's and Linux's words mean what they
// mean there. The others:
//
//	cell             the memory of one key: of an aggregation on one CPU, of an array, of a thread
//	frame            what statements belong to: the clause, or a function at one of its calls
//	hook, site, unit where Linux lets a program be put; a probe that fires there; what one
//	                 program serves: a hook, and the sites that share it
//	meaning          what a name stands for: the value of an inline, what a translator says
//	part             a piece of what had to be divided: of a hook, a cell, a probe's name
//	place            of a text, where it stands; of a value, where it lies
//	pool             aggregations that share tables
//	quirk            what some kernels' verifier does, that code must be written for
//	record           the bytes that a firing leaves for the reader; open while it is filled
//	region           statements that are reached or not while their record is open
//	scratch          what alloca() and copyin() give out
//	seal             what keeps a script to what its asker may see
//	space            the kind of memory that a place is in: the script's, scratch, the
//	                 task_struct, the kernel's, the process's
//	temporaries      the memory that a statement computes in, until it ends
//	working memory   all that a function has for one firing: on the stack, and where that
//	                 does not suffice in a map of the CPU
//
// README.md beside this file says what D has here that DTrace has not.
//
// How it is known to be right: each phase has archives of text in testdata; the
// parser and the checker are fuzzed; and random well-typed programs
// (lower/gen) run in an interpreter of the tree, in one of ir before and after
// all passes, and in the kernel, and must agree. Those in the manner of the wild are
// judged by the tree of another script, which says the same without their tricks.
package dlang
