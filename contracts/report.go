package contracts

// Report is report.json: all that the rendered pages show, as data.
type Report struct {
	Version   int       `json:"version"`
	Gate      Gate      `json:"gate"`
	Aggregate Aggregate `json:"aggregate"`
}

// ReportVersion is the version of Report that this program writes.
const ReportVersion = 1

// RunSummary tells how the pipeline ran: which instances were hits, which ran
// and for how long. It depends on the machine and the moment, so no stage
// reads or writes it; the command line puts it into report.html when it
// publishes the report.
type RunSummary struct {
	Started    string        `json:"started"`
	DurationMS int64         `json:"duration_ms"`
	Hits       int           `json:"hits"`
	Executed   int           `json:"executed"`
	Instances  []RunInstance `json:"instances"`
}

// RunInstance is one stage instance of a run. Status is hit, ran, failed,
// skipped or off, for which Reason names the condition; DurationMS is what executing it took, then or now. After lists the
// stages whose outputs it reads.
type RunInstance struct {
	Stage      string   `json:"stage"`
	Instance   string   `json:"instance"`
	Status     string   `json:"status"`
	Reason     string   `json:"reason,omitempty"`
	DurationMS int64    `json:"duration_ms"`
	After      []string `json:"after"`
}
