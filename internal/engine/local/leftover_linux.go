package local

import "github.com/touchstone-eval/touchstone/internal/engine/process"

// EndLeftovers ends what a run that was killed has left running; the TMPDIR of
// its stages is below the dead run's directory.
func (Executor) EndLeftovers(dir string) { process.EndLeftovers(dir) }
