package contracts

// NoVerdict is no-verdict.json: why a run of the pipeline ended without a
// verdict. The command line writes it, together with reports that say the same,
// in place of the reports of an earlier run.
type NoVerdict struct {
	Version int `json:"version"`
	// Kind is one of the constants below. ExitCode is the exit code of the
	// program, or -1 while the run has not ended.
	Kind     string `json:"kind"`
	ExitCode int    `json:"exit_code"`
	// Summary is one sentence.
	Summary string `json:"summary"`
	// Failed lists the stage instances that failed. Done counts those with a
	// result, and Skipped those that were not started.
	Failed  []string `json:"failed"`
	Done    int      `json:"done"`
	Skipped int      `json:"skipped"`
	// Problems lists every reason with a place, and at least one reason.
	Problems []Reason `json:"problems"`
	// Logs holds the end of the log of each failed instance.
	Logs []StageLog `json:"logs"`
	// Directory is the pipeline's directory in its repository, or empty for the
	// root. Files of problems are relative to the pipeline's directory.
	Directory string `json:"directory,omitempty"`
	// Command runs the same again.
	Command string `json:"command"`
}

// NoVerdictVersion is the version of NoVerdict that this program writes.
const NoVerdictVersion = 1

// NewNoVerdict returns the description of a run of a kind, with empty lists.
func NewNoVerdict(kind string, exitCode int) NoVerdict {
	return NoVerdict{Version: NoVerdictVersion, Kind: kind, ExitCode: exitCode, Failed: []string{},
		Problems: []Reason{}, Logs: []StageLog{}}
}

// Kinds of a run without a verdict.
const (
	EndedByDataset = "dataset"     // a dataset is invalid
	EndedByStage   = "stage"       // a stage failed
	EndedBySetup   = "setup"       // the pipeline is invalid, or something that it needs is missing
	EndedByData    = "data"        // the baseline was made on data that are too different
	EndedFirst     = "no_baseline" // there is no baseline yet
	EndedBySignal  = "interrupted" // the run was interrupted
	EndedUnknown   = "unfinished"  // the run has not ended, or was killed
)

// Reason is one reason why there is no verdict. File is empty if the reason has
// no place in a file. Line and Column start at 1 and are absent if they are not
// known. Entry is the id of the entry that contains the place.
type Reason struct {
	Stage   string `json:"stage,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Entry   string `json:"entry,omitempty"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

// StageLog is the end of what a stage instance printed.
type StageLog struct {
	Stage string   `json:"stage"`
	Lines []string `json:"lines"`
}

// Reasons lists the problems as reasons, in file order.
func (e *FileError) Reasons() []Reason {
	list := make([]Reason, 0, len(e.Problems))
	for _, p := range e.Problems {
		list = append(list, Reason{File: e.Path, Line: p.Line, Column: p.Column, Entry: clip(p.Entry),
			Message: p.Message, Remedy: p.Remedy})
	}
	return list
}
