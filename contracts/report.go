package contracts

// Report is report.json: the data of all rendered pages.
type Report struct {
	Version   int       `json:"version"`
	Gate      Gate      `json:"gate"`
	Aggregate Aggregate `json:"aggregate"`
}

// ReportVersion is the version of Report that this program writes.
const ReportVersion = 1

// RunSummary describes the run of the pipeline: which instances were hits,
// which ran and for how long. It depends on the machine and the moment, so no
// stage reads or writes it. The command line adds it to report.html when it
// publishes the report.
type RunSummary struct {
	Started    string        `json:"started"`
	DurationMS int64         `json:"duration_ms"`
	Hits       int           `json:"hits"`
	Executed   int           `json:"executed"`
	Instances  []RunInstance `json:"instances"`
	// Changed says what changed since the baseline, one line for each of proxy,
	// scanner, data and the rest of the pipeline.
	Changed []string `json:"changed,omitempty"`
	// Command runs the gate again with the same settings.
	Command string `json:"command,omitempty"`
}

// RunInstance is one stage instance of a run. Status is hit, ran, failed,
// skipped or off. Reason names the condition if Status is off. DurationMS is
// the time of the execution, in this run or in the cached one. After lists the
// stages whose outputs it reads.
type RunInstance struct {
	Stage      string   `json:"stage"`
	Instance   string   `json:"instance"`
	Status     string   `json:"status"`
	Reason     string   `json:"reason,omitempty"`
	DurationMS int64    `json:"duration_ms"`
	After      []string `json:"after"`
}
