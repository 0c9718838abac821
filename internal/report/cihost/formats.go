package cihost

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

const informationURI = "https://github.com/touchstone-eval/touchstone"

// SARIF writes errors and warnings as SARIF 2.1.0, whose only rule is the gate. An
// annotation without a file is placed at file, because code scanning drops results that
// have no place.
func SARIF(list []Annotation, file string) ([]byte, error) {
	run := sarif.NewRunWithInformationURI("Touchstone", informationURI)
	run.AddRule("gate").WithName("gate").
		WithShortDescription(sarif.NewMultiformatMessageString().WithText("The evaluation of an MCP proxy has a " +
			"result that fails its gate or got worse."))
	for _, a := range list {
		if a.Level == LevelNotice {
			continue
		}

		region := sarif.NewRegion().WithStartLine(max(a.Line, 1))
		if a.Column > 0 {
			region.WithStartColumn(a.Column)
		}

		place := sarif.NewPhysicalLocation().
			WithArtifactLocation(sarif.NewSimpleArtifactLocation(cmp.Or(a.File, file))).WithRegion(region)
		run.CreateResultForRule("gate").WithLevel(a.Level).
			WithMessage(sarif.NewTextMessage(a.text())).
			WithPartialFingerprints(map[string]string{"touchstone/v1": a.fingerprint()}).
			AddLocation(sarif.NewLocationWithPhysicalLocation(place))
	}

	report := sarif.NewReport()
	report.AddRun(run)
	text, err := json.MarshalIndent(report, "", " ")
	return append(text, '\n'), err
}

// issue is an element of GitLab's code quality report.
type issue struct {
	Description string   `json:"description"`
	CheckName   string   `json:"check_name"`
	Fingerprint string   `json:"fingerprint"`
	Severity    string   `json:"severity"`
	Location    location `json:"location"`
}

type location struct {
	Path  string `json:"path"`
	Lines struct {
		Begin int `json:"begin"`
	} `json:"lines"`
}

// CodeQuality writes errors and warnings as GitLab's code quality report. An annotation
// without a file is placed at file.
func CodeQuality(list []Annotation, file string) ([]byte, error) {
	issues := []issue{}
	for _, a := range list {
		if a.Level == LevelNotice {
			continue
		}

		i := issue{Description: a.text(), CheckName: "touchstone-gate", Fingerprint: a.fingerprint(), Severity: "major"}
		if a.Level == LevelWarning {
			i.Severity = "minor"
		}

		i.Location.Path, i.Location.Lines.Begin = cmp.Or(a.File, file), max(a.Line, 1)
		issues = append(issues, i)
	}

	text, err := json.MarshalIndent(issues, "", " ")
	return append(text, '\n'), err
}

func (a *Annotation) text() string {
	return strings.TrimPrefix(a.Title, "Touchstone: ") + ": " + a.Message
}

// fingerprint identifies an annotation across runs: figures in the message may change, the
// title and the file stay.
func (a *Annotation) fingerprint() string {
	sum := sha256.Sum256([]byte(a.Level + "\x00" + a.File + "\x00" + a.Title))
	return hex.EncodeToString(sum[:16])
}
