// Package subprocess runs external programs and cleans up after them. Each
// program leads its own process group, and the group is killed when the program
// ends. The end of the program's error output is kept for messages. The package
// also measures the memory of such a group.
//
// It imports no other package of this module and does not depend on what the
// programs do.
package subprocess
