// Package program runs programs of others so that nothing of them is left
// behind: each leads a process group, which ends with it, and the end of what
// it printed is kept for the message. What one takes of the memory is read here, too.
//
// It imports nothing of ours, and knows nothing of what the programs are for.
package program
