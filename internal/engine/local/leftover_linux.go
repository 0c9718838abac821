package local

import "github.com/touchstone-eval/touchstone/internal/engine/process"

// EndLeftovers kills the remaining processes of a run that was killed. The TMPDIR of
// their stages is inside dir, the directory of that run.
func (Executor) EndLeftovers(dir string) { process.EndLeftovers(dir) }
