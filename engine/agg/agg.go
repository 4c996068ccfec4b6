// Package agg holds the mathematics of aggregations: how the words of a cell
// are laid out, how the cells of all CPUs become one value, which bucket a
// value falls into and what that bucket is called, and in which order the keys
// of an aggregation are printed.
//
// A cell is what one CPU knows of one key: a fixed number of 64-bit words, which
// package function draws, the code generator fills, and this package alone reads. What
// it does with those of one aggregating function is a row of kinds.
//
// The value of min and max is kept so that the greater word, without sign, is the
// one to keep, and 0 is what everything beats. A cell of zeros is untouched: merging
// it changes nothing. Merging is commutative and associative, so the order of CPUs and
// of drains does not matter, and the same code serves live runs, replays and tests.
//
// Totals is what the drain adds to: the merged cells of every key since the
// start, or since the last clear() or trunc(). Keys arrive as the bytes of a
// kernel map and are kept in a form in which equal keys are equal strings:
// numbers of stacks become the stacks themselves (the kernel numbers them anew
// in each generation), numbers of probes become names, addresses of symbols
// the start of the symbol. Results follow DTrace to the last digit: integer
// division truncates, the standard deviation is the integer square root of a
// 128-bit difference, histograms are ordered by their weighted sums.
//
// Nothing here reads a kernel or a clock.
package agg
