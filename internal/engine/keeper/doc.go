// Package keeper keeps PID namespaces for stages. The first process of such a namespace
// is this program, started again: it ends everything in the namespace when it is asked
// to, and the kernel does when it ends. A daemon that has left its parents, its group and
// its environment is still in the namespace.
//
// It only imports the standard library and x/sys, so that the process starts before the
// rest of the program is initialized.
package keeper
