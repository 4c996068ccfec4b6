package agg

import "dscope.dev/dlang/function"

// Count lets the archives add values as a program in the kernel does.
var Count = count

// Words returns the number of words in a cell of the function that D calls fn.
func Words(fn string, params []int64) int { return function.FindAgg(fn).CellWords(params) }
