// Package helper lets people trace who are not root. A process with privileges listens on a
// socket of the machine; it does little, so that little can go wrong in it:
//
//	conf.go     the rules: who may do what (/etc/dscope.conf)
//	asker.go    who has connected, as the kernel says (SO_PEERCRED), and his groups
//	ask.go      what is said first: the ask, with open files; the reply
//	serve       it looks the asker up, and starts a dscope for him
//	control     what that dscope may not do itself: begin a run, have programs timed
//
// What it starts is a process for each asker, which does all the rest: parse scripts and
// files, compile, load, drain. That process has the asker's user and groups, his folder and
// his open files, and a few capabilities, the fewer the less he may (Capabilities). It takes
// scripts as text and compiles them itself; nothing that was compiled elsewhere is loaded.
// So files are opened as the asker, commands run as the asker, and what is written is the
// asker's. He cannot look into the process: it has capabilities that he has not. He may end
// it, which ends his runs.
package helper

// Socket is where the helper listens if nothing else is said.
const Socket = "/run/dscope.sock"

// SocketEnv names another socket.
const SocketEnv = "DSCOPE_SOCKET"
