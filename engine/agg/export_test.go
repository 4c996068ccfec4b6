package agg

// Count lets the archives add values as a program in the kernel does.
var Count = count
