package engine

import (
	"crypto/sha256"

	"github.com/touchstone-eval/touchstone/cache"
)

// isolationOff is the kind of the miss of a result that a stage made without restrictions, by the choice of a user.
// The stage may have read what it does not declare, and would then fail in a run that restricts it.
const isolationOff cache.MissKind = "isolation-off"

// unisolatedReads is the list of what the command of such a result read: it says that nobody knows. Its only entry
// never holds if stages are restricted. It is a list so that it goes with the result to other machines.
var unisolatedReads = []byte("isolation \"off\" \"/\"\n")

var unisolatedList = cache.Digest(sha256.Sum256(unisolatedReads))

// isList reports whether a record has a list of what its command read.
func isList(reads cache.Digest) bool { return !reads.IsZero() && reads != unisolatedList }

// unrestricted is implemented by an Executor whose user may have chosen not to restrict stages.
type unrestricted interface{ IsolationOff() bool }

// isolationOff reports whether stages of this run are not restricted, by the choice of the user.
func (e *Engine) isolationOff() bool {
	u, ok := e.Executor.(unrestricted)
	return ok && u.IsolationOff()
}
