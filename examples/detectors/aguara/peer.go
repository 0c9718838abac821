package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// severities are those of aguara, in the order of the numbers in its output.
var severities = []string{"info", "low", "medium", "high", "critical"}

func severity(name string) (int, error) {
	i := slices.Index(severities, name)
	if i < 0 {
		return 0, fmt.Errorf("unknown -severity %q: use one of %s", name, strings.Join(severities, ", "))
	}
	return i, nil
}

// peer runs the program in dir, which is also its home directory, so that no other files
// influence the verdict.
type peer struct {
	program, dir, file string
	least              int // lowest severity that flags a tool
}

func (p peer) judge(r request) (verdict, error) {
	var flags []string
	if r.Approved != nil {
		flags = []string{"--monitor", "--state-path", filepath.Join(p.dir, "state.json")}
		defer os.Remove(filepath.Join(p.dir, "state.json"))
		before := r.Tool
		before.version = *r.Approved
		if _, err := p.scan(before, flags); err != nil {
			return verdict{}, fmt.Errorf("scan the approved version: %w", err)
		}
	}

	s, err := p.scan(r.Tool, flags)
	if err != nil {
		return verdict{}, err
	}

	return p.verdict(s), nil
}

// scanned is the part of aguara's output that is used.
type scanned struct {
	Findings []struct {
		RuleID      string  `json:"rule_id"`
		Severity    int     `json:"severity"`
		MatchedText string  `json:"matched_text"`
		Confidence  float64 `json:"confidence"`
	} `json:"findings"`
	FilesScanned int `json:"files_scanned"`
	RulesLoaded  int `json:"rules_loaded"`
}

// verdict flags the tool if a finding has at least the requested severity. It names each
// rule of these findings once.
func (p peer) verdict(s scanned) verdict {
	var v verdict
	var evidence []string
	for _, f := range s.Findings {
		if f.Severity < p.least {
			continue
		}

		v.Flagged = true
		v.Confidence = max(v.Confidence, min(f.Confidence, 1))
		if !slices.Contains(v.Signals, f.RuleID) {
			v.Signals = append(v.Signals, f.RuleID)
			evidence = append(evidence, f.RuleID+": "+f.MatchedText)
		}
	}

	slices.Sort(v.Signals)
	slices.Sort(evidence)
	v.Evidence = strings.Join(evidence, " | ")
	return v
}

// scan runs the program once on one tool.
func (p peer) scan(t tool, flags []string) (scanned, error) {
	var s scanned
	listing, err := toolsList(t)
	if err != nil {
		return s, err
	}

	if err := os.WriteFile(filepath.Join(p.dir, p.file), listing, 0o600); err != nil {
		return s, err
	}

	cmd := exec.Command(p.program,
		slices.Concat([]string{"scan", "--format", "json", "--no-update-check"}, flags, []string{p.file})...)
	cmd.Dir = p.dir
	cmd.Env = []string{"HOME=" + p.dir, "PATH=" + os.Getenv("PATH")}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return s, fmt.Errorf("aguara: %w: %s", err, strings.TrimSpace(errs.String()))
	}

	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		return s, fmt.Errorf("aguara's output cannot be read: %w", err)
	}

	// A tool that was not scanned is not clean.
	if s.FilesScanned != 1 || s.RulesLoaded == 0 {
		return s, errors.New("aguara did not scan the tool")
	}

	return s, nil
}

// toolsList returns the tool as its server lists it, with as few JSON escapes as possible:
// aguara reads text rather than JSON, and does not decode escapes.
func toolsList(t tool) ([]byte, error) {
	type definition struct {
		Name         string `json:"name"`
		Description  string `json:"description"`
		InputSchema  any    `json:"inputSchema,omitempty"`
		OutputSchema any    `json:"outputSchema,omitempty"`
		Annotations  any    `json:"annotations,omitempty"`
	}
	d := definition{Name: t.Name, Description: t.Description}
	for raw, field := range map[*json.RawMessage]*any{
		&t.InputSchema: &d.InputSchema, &t.OutputSchema: &d.OutputSchema, &t.Annotations: &d.Annotations,
	} {
		if len(*raw) > 0 {
			if err := json.Unmarshal(*raw, field); err != nil {
				return nil, err
			}
		}
	}

	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(map[string][]definition{"tools": {d}})
	return b.Bytes(), err
}
