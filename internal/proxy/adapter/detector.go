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

// Detector describes a program that judges one tool definition a run and says
// so as JSON: the evaluator of a proxy's own scanner, such as it is.
type Detector struct{ detectorBlock }

type detectorBlock struct {
	Name string `hcl:"name,label"`
	// Binary is the file of the build that Command starts, when it starts one.
	Binary  string         `hcl:"binary,optional"`
	Command hcl.Expression `hcl:"command"`
	Files   []fileBlock    `hcl:"file,block"`
	// Exits are the statuses with which the program ends when it did judge;
	// absent means 0 alone.
	Exits   []int          `hcl:"exits,optional"`
	Flagged hcl.Expression `hcl:"flagged"`
	Signals hcl.Expression `hcl:"signals,optional"`
}

// DetectorsFile is the file that holds the detectors, in the directory that
// build-proxy writes for them, with the programs that they start beside it.
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
	return nil, fmt.Errorf("adapter %s has no detector %q: it has %s", a.Name, name, cmp.Or(strings.Join(names, ", "), "none"))
}

// Judgement is one run of a detector: how it is started, over which files.
type Judgement struct {
	Argv  []string
	Files map[string][]byte // below the directory that it runs in
	scope scope
}

// Judgement fills the detector in for one tool definition. home is the
// directory that it will run in, binary the file that the build left.
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

// list makes a list of what may be absent.
func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// Judged tells whether the program judged at all when it ended with status.
func (d *Detector) Judged(status int) bool {
	return status == 0 && len(d.Exits) == 0 || slices.Contains(d.Exits, status)
}

// Verdict reads what the program printed. The verdict has no id yet.
func (d *Detector) Verdict(j Judgement, output []byte) (contracts.DetectorVerdict, error) {
	v := contracts.DetectorVerdict{Protocol: contracts.DetectorProtocol}
	s := Answer{Text: output}.scope(j.scope)
	flagged, err := s.native(d.Flagged, "flagged")
	if err != nil {
		return v, d.wrap(err)
	}
	var ok bool
	if v.Flagged, ok = flagged.(bool); !ok {
		return v, d.wrap(fmt.Errorf("flagged is %s and has to be true or false", kind(flagged)))
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
			return v, d.wrap(fmt.Errorf("signals: one is %s and has to be a text", kind(item)))
		}
		v.Signals = append(v.Signals, text)
	}
	return v, nil
}

func (d *Detector) wrap(err error) error {
	return fmt.Errorf("detector %s of the adapter: %w: correct the adapter, see docs/adapters.md", d.Name, err)
}
