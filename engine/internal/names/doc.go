// Package names turns the numbers in records and keys into what they stand for: addresses
// into symbols, numbers of stacks into stacks, keys of sites into parts of a probe's name.
//
// A Table serves one run. Processes come and go, and with them what their addresses mean;
// so it hears of what they map (Hear), and looks ahead at those that may soon have gone
// (Ahead).
package names
