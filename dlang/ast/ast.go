// Package ast holds the tree of a D script.
//
// The tree keeps what the text says: parentheses, the spelling of numbers, the
// order of items, and every comment, so that package format can print it back.
// Its comments give the concrete syntax of each node. The set of nodes is
// closed: a type switch over it panics in its default case rather than guess.
package ast

import "dscope.dev/dlang/token"

// A Node is any part of a script.
type Node interface {
	Span() token.Span
	move(by token.Pos)
}

type (
	// An Item is what may stand at the top level of a script.
	Item interface {
		Node
		item()
	}

	// A Stmt is a node that acts.
	Stmt interface {
		Node
		stmt()
	}

	// An Expr is a node that has a value.
	Expr interface {
		Node
		expr()
	}

	// A Type is a type as it is written.
	Type interface {
		Node
		typ()
	}
)

// At is the place of a node; every node embeds one.
type At token.Span

// Span returns the source that the node covers.
func (a At) Span() token.Span { return token.Span(a) }

func (a *At) move(by token.Pos) { *a = At(token.Span(*a).Move(by)) }

// A Script is a whole file. It exists even when the text is full of errors.
type Script struct {
	File     *token.File
	Items    []Item
	Comments []Comment // all of them, in order of place
	At
}

// A Comment is // … to the end of its line, or /* … */.
type Comment struct {
	Text string // with its delimiters
	At
}

// The items.
type (
	// Pragma is #pragma D option quiet, #!…, #line …: a whole control line.
	Pragma struct {
		Text string // the line without its newline
		At
	}

	// Clause is
	//
	//	probe, probe / predicate / { action; action }
	Clause struct {
		Probes []*ProbeDesc
		Pred   Expr   // nil if the clause fires unconditionally
		Body   *Block // nil if braces are missing altogether: the default action
		At
	}

	// DeclItem is a declaration at the top level:
	//
	//	int x, *y;   self string name;   struct s { … };   typedef unsigned long size_t;
	//	extern int `x;   int a[string, int];
	DeclItem struct {
		Decl *Decl
		At
	}

	// Inline is inline int name = expr; or inline int name[int a, string b] = expr;
	Inline struct {
		Type  Type
		Name  *Name
		Value Expr
		At
	}

	// Translator is translator out < in *name > { member = expr; … };
	Translator struct {
		Out     Type
		In      Type
		Name    *Name
		Members []*TranslatorMember
		At
	}

	// TranslatorMember is member = expr;
	TranslatorMember struct {
		Name  *Name
		Value Expr
		At
	}

	// Provider is provider name { probe p(int a, string b) : (int c); … };
	Provider struct {
		Name   *Name
		Probes []*ProbeDecl
		At
	}

	// ProbeDecl is probe name(params) : (params);
	ProbeDecl struct {
		Name *Name
		In   []*Param
		Out  []*Param // nil if the translated arguments are not declared
		At
	}

	// FuncItem is the definition of a function: int max2(int a, int b) { … }
	FuncItem struct {
		Decl *Decl // of one name, whose type is a Func
		Body *Block
		At
	}

	// BadItem is text that is no item; the parser has complained about it.
	BadItem struct{ At }
)

func (*Pragma) item()     {}
func (*Clause) item()     {}
func (*DeclItem) item()   {}
func (*Inline) item()     {}
func (*Translator) item() {}
func (*Provider) item()   {}
func (*FuncItem) item()   {}
func (*BadItem) item()    {}

// ProbeDesc is provider:module:function:name, or a number (the probe's id).
// As in DTrace, fewer parts name the last ones: read:entry is
// function:name, and a lone word is a name. A missing or empty part matches
// anything; parts may be globs.
type ProbeDesc struct {
	Text                             string // as written
	Provider, Module, Function, Name string
	ID                               uint32 // 0 unless the description is a number
	At
}

// Name is an identifier where it is declared or selected.
type Name struct {
	Text string
	At
}

// The statements.
type (
	// ExprStmt is expr; – an assignment or a call for its effect.
	ExprStmt struct {
		X Expr
		At
	}

	// AggAssign is @name[keys] = fn(args);
	AggAssign struct {
		Agg  *AggRef
		Fn   *Name
		Args []Expr
		At
	}

	// Block is { … }; as the body of a clause, or of an if.
	Block struct {
		Stmts []Stmt
		At
	}

	// If is if (cond) then else otherwise.
	If struct {
		Cond Expr
		Then Stmt
		Else Stmt // nil if absent
		At
	}

	// For is for (init; cond; step; max rounds) body. All in the parentheses
	// may be absent; without a stated bound the compiler must find one.
	For struct {
		Init Stmt // *ExprStmt or *DeclStmt, or nil
		Cond Expr
		Step Expr
		Max  Expr
		Body Stmt
		At
	}

	// While is while (cond; max rounds) body; Max is nil if absent.
	While struct {
		Cond, Max Expr
		Body      Stmt
		At
	}

	// DoWhile is do body while (cond; max rounds);
	DoWhile struct {
		Body      Stmt
		Cond, Max Expr
		At
	}

	// Jump is break; or continue; as Op says (KwBreak, KwContinue).
	Jump struct {
		Op token.Kind
		At
	}

	// Return is return; or return x;
	Return struct {
		X Expr // nil if absent
		At
	}

	// DeclStmt is a declaration of variables that live in the block: int x = 3;
	DeclStmt struct {
		Decl *Decl
		At
	}

	// Empty is a lone semicolon.
	Empty struct{ At }

	// BadStmt is text that is no statement; the parser has complained.
	BadStmt struct{ At }
)

func (*ExprStmt) stmt()  {}
func (*AggAssign) stmt() {}
func (*Block) stmt()     {}
func (*If) stmt()        {}
func (*For) stmt()       {}
func (*While) stmt()     {}
func (*DoWhile) stmt()   {}
func (*Jump) stmt()      {}
func (*Return) stmt()    {}
func (*DeclStmt) stmt()  {}
func (*Empty) stmt()     {}
func (*BadStmt) stmt()   {}

// A Scope says where a variable lives.
type Scope uint8

// The scopes of D's variables.
const (
	Global Scope = iota
	Self         // self->x: one for each thread
	This         // this->x: one for each firing
	Local        // x, declared in a block: lives until the block ends
)

// String returns the word that the scope is written with; Global and Local have none.
func (s Scope) String() string { return [...]string{"", "self", "this", ""}[s] }

// The expressions.
type (
	// Ident is a variable, an inline, an enumerator or a function.
	Ident struct {
		Name  string
		Outer bool // whether no local variable is meant: the name comes from an inline
		At
	}

	// Var is self->name or this->name.
	Var struct {
		Scope Scope // Self or This
		Name  string
		At
	}

	// KSym is `name or module`name.
	KSym struct {
		Module, Name string
		At
	}

	// AggRef is @name or @name[keys]. Name is without the sigil and may be empty.
	AggRef struct {
		Name string
		Keys []Expr
		At
	}

	// Macro is $1, $$1, $target, $$execname.
	Macro struct {
		Name   string // "1", "target": without the dollars
		Quoted bool   // $$: the value as a string
		At
	}

	// Int is an integer constant.
	Int struct {
		Text  string // as written
		Value uint64
		// Suffix flags: u and the number of l's.
		Unsigned bool
		Longs    uint8
		At
	}

	// Char is 'c' or a multi-character constant.
	Char struct {
		Text  string // as written, quotes included
		Value int64
		At
	}

	// String is "text".
	String struct {
		Text  string // as written, quotes included
		Value string // with escapes resolved
		At
	}

	// Unary is op x: - + ! ~ * & ++ -- and the word stringof (KwStringof).
	Unary struct {
		Op token.Kind
		X  Expr
		At
	}

	// Postfix is x++ or x--.
	Postfix struct {
		Op token.Kind
		X  Expr
		At
	}

	// Binary is x op y, the logical and comma operators included.
	Binary struct {
		Op    token.Kind
		OpPos token.Span
		X, Y  Expr
		At
	}

	// Assign is x = y or x op= y.
	Assign struct {
		Op    token.Kind // Assign, PlusAssign, …
		OpPos token.Span
		X, Y  Expr
		At
	}

	// Cond is cond ? then : otherwise.
	Cond struct {
		Cond, Then, Else Expr
		At
	}

	// Call is f(args). As DTrace replaces $1 before it parses, the name of a
	// function or member may be a macro argument, spelled with its dollar.
	Call struct {
		Fn   *Name
		Args []Expr
		At
	}

	// Index is x[i], or x[i, j] of an associative array.
	Index struct {
		X    Expr
		Args []Expr
		Raw  bool // args[n] as the kernel gives it, before a translator
		At
	}

	// Member is x.name or x->name.
	Member struct {
		X     Expr
		Arrow bool
		Name  *Name
		At
	}

	// Cast is (type)x.
	Cast struct {
		Type Type
		X    Expr
		At
	}

	// Sizeof is sizeof (type) or sizeof expr; exactly one of Type and X is set. A
	// header of C may ask for the alignment instead.
	Sizeof struct {
		Type  Type
		X     Expr
		Align bool
		At
	}

	// Offsetof is offsetof(type, member).
	Offsetof struct {
		Type   Type
		Member *Name
		At
	}

	// Xlate is xlate <type> (expr).
	Xlate struct {
		Type Type
		X    Expr
		At
	}

	// Paren is (x).
	Paren struct {
		X Expr
		At
	}

	// BadExpr is text that is no expression; the parser has complained.
	BadExpr struct{ At }
)

func (*Ident) expr()    {}
func (*Var) expr()      {}
func (*KSym) expr()     {}
func (*AggRef) expr()   {}
func (*Macro) expr()    {}
func (*Int) expr()      {}
func (*Char) expr()     {}
func (*String) expr()   {}
func (*Unary) expr()    {}
func (*Postfix) expr()  {}
func (*Binary) expr()   {}
func (*Assign) expr()   {}
func (*Cond) expr()     {}
func (*Call) expr()     {}
func (*Index) expr()    {}
func (*Member) expr()   {}
func (*Cast) expr()     {}
func (*Sizeof) expr()   {}
func (*Offsetof) expr() {}
func (*Xlate) expr()    {}
func (*Paren) expr()    {}
func (*BadExpr) expr()  {}
