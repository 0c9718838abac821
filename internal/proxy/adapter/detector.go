package adapter

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Detector describes a program that judges one tool definition per run and prints
// the result as JSON, such as the evaluator of a proxy's own scanner.
type Detector struct{ detectorBlock }

type detectorBlock struct {
	Name string `hcl:"name,label"`
	// Binary is the file of the build that Command starts, or empty.
	Binary  string         `hcl:"binary,optional"`
	Command hcl.Expression `hcl:"command"`
	Files   []fileBlock    `hcl:"file,block"`
	// Exits lists the exit statuses that mean that the program has judged. If
	// it is absent, only 0 does.
	Exits   []int          `hcl:"exits,optional"`
	Flagged hcl.Expression `hcl:"flagged"`
	Signals hcl.Expression `hcl:"signals,optional"`
}

// DetectorsFile is the file with the detectors, in the directory that build-proxy
// writes for them. The programs that they start are in the same directory.
const DetectorsFile = "detectors.hcl"

// Detector returns the detector of that name.
func (a *Adapter) Detector(name string) (*Detector, error) {
	var names []string
	for i, d := range a.Detectors {
		if d.Name == name {
			return &a.Detectors[i], nil
		}
		names = append(names, d.Name)
	}
	return nil, fmt.Errorf("adapter %s has no detector %q: it has %s", a.Name, name,
		cmp.Or(strings.Join(names, ", "), "none"))
}

// Judgement is one run of a detector: its command and its files.
type Judgement struct {
	Argv  []string
	Files map[string][]byte // relative to the directory in which it runs
	scope scope
}

// Judgement prepares a run for one tool definition. home is the directory in which
// the detector will run, binary is the file that the build produced.
func (d *Detector) Judgement(home, binary string, r contracts.DetectorRequest) (Judgement, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return Judgement{}, err
	}

	var request map[string]any
	if err := json.Unmarshal(raw, &request); err != nil {
		return Judgement{}, err
	}

	s := scope{
		vars: map[string]cty.Value{"home": cty.StringVal(home), "binary": cty.StringVal(binary)},
		raw:  map[string]any{"tool": request["tool"], "peers": list(request["peers"]), "approved": request["approved"]},
	}
	j := Judgement{Files: map[string][]byte{}, scope: s}
	if j.Argv, err = words(s, d.Command); err != nil {
		return j, d.wrap(err)
	}

	for _, f := range d.Files {
		content, err := s.text(f.Content, "content")
		if err != nil {
			return j, d.wrap(fmt.Errorf("file %q: %w", f.Path, err))
		}

		j.Files[filepath.FromSlash(f.Path)] = []byte(content)
	}

	return j, nil
}

// list returns v as a list, or nil if it is absent.
func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// Judged reports whether the exit status means that the program has judged.
func (d *Detector) Judged(status int) bool {
	return status == 0 && len(d.Exits) == 0 || slices.Contains(d.Exits, status)
}

// Verdict evaluates the output of the program. The verdict has no id yet.
func (d *Detector) Verdict(j Judgement, output []byte) (contracts.DetectorVerdict, error) {
	v := contracts.DetectorVerdict{Protocol: contracts.DetectorProtocol}
	s := Answer{Text: output}.scope(j.scope)
	flagged, err := s.native(d.Flagged, "flagged")
	if err != nil {
		return v, d.wrap(err)
	}

	var ok bool
	if v.Flagged, ok = flagged.(bool); !ok {
		return v, d.wrap(fmt.Errorf("flagged is %s but must be true or false", kind(flagged)))
	}

	if !given(d.Signals) {
		return v, nil
	}

	signals, err := s.native(d.Signals, "signals")
	if err != nil {
		return v, d.wrap(err)
	}

	for _, item := range list(signals) {
		text, ok := item.(string)
		if !ok {
			return v, d.wrap(fmt.Errorf("signals: an item is %s but must be a string", kind(item)))
		}

		v.Signals = append(v.Signals, text)
	}

	return v, nil
}

func (d *Detector) wrap(err error) error {
	return fmt.Errorf("detector %s of the adapter: %w: correct the adapter (see docs/reference/adapters.md)", d.Name,
		err)
}
