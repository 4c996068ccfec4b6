package ast

import "dscope.dev/dlang/token"

// Move moves n, and what it is made of, by so many bytes: text was written before it.
func Move(n Node, by token.Pos) {
	var move func(Node) bool
	move = func(n Node) bool {
		n.move(by)
		switch n := n.(type) {
		case *Binary:
			n.OpPos = n.OpPos.Move(by)
		case *Assign:
			n.OpPos = n.OpPos.Move(by)
		case *Decl: // what its names share is moved once
			Walk(n.Base, move)
			walkAll(nil, n.Names, func(m Node) bool { return m != Node(n.Base) && move(m) })
			return false
		}
		return true
	}
	Walk(n, move)
}
