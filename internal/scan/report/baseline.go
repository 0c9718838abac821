package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// baselineVersion is the version of the baseline file. The first had only tools.
const (
	baselineVersion = "touchstone-scan-baseline/2"
	firstVersion    = "touchstone-scan-baseline/1"
)

// Baseline is what was approved: tools and everything else that servers tell models.
type Baseline struct {
	Tools     []scanner.Tool
	Approvals []Approval // of single changes, the oldest first
	// Pinned means that the file has the version of a baseline. Other lists of tools have
	// another one.
	Pinned bool
	// RelativeNames means that the names of servers that come from paths are relative to
	// the file of the baseline. In earlier files they are relative to the directory in
	// which it was written.
	RelativeNames bool
}

// Approval records who approved a change, and why. Item is "server:label", with the
// pointer of a single field after a #.
type Approval struct {
	Item     string           `json:"item"`
	Severity scanner.Severity `json:"severity"`
	Reason   string           `json:"reason"`
	Author   string           `json:"author"`
	Date     string           `json:"date"` // as 2006-01-02
}

// NewBaseline returns a baseline that approves these tools. It fails if one name has
// two definitions, because it cannot tell which of them was approved.
func NewBaseline(tools []input.Tool) (*Baseline, error) {
	definitions := distinct(tools)
	places := placesOf(definitions)
	list := make([]scanner.Tool, len(definitions))
	for i := range definitions {
		list[i] = definitions[i].Tool.Tool
	}

	sortTools(list)
	for i := 1; i < len(list); i++ {
		if t := list[i]; t.Server == list[i-1].Server && t.Label() == list[i-1].Label() {
			return nil, fmt.Errorf("the tool %q of server %q has two definitions, in %v: remove one of them, then "+
				"approve",
				safetext.Visible(t.Label()), safetext.Visible(t.Server), places[toolName{t.Server, t.Label()}])
		}
	}

	return &Baseline{Tools: list}, nil
}

func sortTools(list []scanner.Tool) {
	slices.SortFunc(list, func(a, b scanner.Tool) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Label(), b.Label()))
	})
}

// Text returns the file of a baseline: the definitions in the names of MCP, by the
// lists that hold them.
func (b *Baseline) Text() ([]byte, error) {
	file := struct {
		Version           string            `json:"version"`
		RelativeNames     bool              `json:"relative_names,omitempty"`
		Tools             []json.RawMessage `json:"tools"`
		Prompts           []json.RawMessage `json:"prompts,omitempty"`
		Resources         []json.RawMessage `json:"resources,omitempty"`
		ResourceTemplates []json.RawMessage `json:"resourceTemplates,omitempty"`
		Instructions      []json.RawMessage `json:"instructions,omitempty"`
		Approvals         []Approval        `json:"approvals,omitempty"`
	}{Version: baselineVersion, RelativeNames: b.RelativeNames, Tools: []json.RawMessage{}, Approvals: b.Approvals}
	for i := range b.Tools {
		row, err := input.Row(&b.Tools[i])
		if err != nil {
			return nil, err
		}

		into := map[scanner.Subject]*[]json.RawMessage{
			scanner.SubjectTool: &file.Tools, scanner.SubjectPrompt: &file.Prompts,
			scanner.SubjectResource:         &file.Resources,
			scanner.SubjectResourceTemplate: &file.ResourceTemplates, scanner.SubjectInstructions: &file.Instructions,
		}[b.Tools[i].Subject]
		*into = append(*into, row)
	}

	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(file)
	return safetext.JSON(out.Bytes()), err
}

// versioned is the version of a baseline that is read, also in a file that is damaged.
var versioned = lazyregexp.New(`"version"\s*:\s*"touchstone-scan-baseline/[12]"`)

// IsBaseline reports whether a file was written as a baseline. It may be damaged since.
func IsBaseline(text []byte) bool { return versioned().Match(text) }

// Differences lists the definitions that only next approves, those that it approves
// otherwise, and those that it does not approve any more, as "server:label", sorted.
func (b *Baseline) Differences(next *Baseline) (added, changed, gone []string) {
	d := drift(pointersTo(next.Tools), pointersTo(b.Tools))
	for _, c := range d.Notes {
		d.Changed = append(d.Changed, c.Item)
	}
	return d.New, d.Changed, d.Gone
}

// conflict is a mark that Git leaves in a file that it could not merge.
var conflict = lazyregexp.New(`(?m)^(<<<<<<<|>>>>>>>)( |\r?$)`)

// ParseBaseline reads a baseline, or any other list of tools with servers, such
// as a corpus.
func ParseBaseline(file string, text []byte) (*Baseline, error) {
	const remedy = "write the baseline again with --pin"
	fail := func(place input.Place, reason, remedy string) error {
		return &input.InputError{Place: place, Reason: reason, Remedy: remedy}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fail(input.Place{File: file}, "it is empty", "write it with --pin")
	}

	if at := conflict().FindIndex(text); at != nil {
		line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
		return nil, fail(input.Place{File: file, Line: line}, "it has a merge conflict", "resolve it, or "+remedy)
	}

	in, err := input.Read(file, "", text)
	var bad *input.InputError
	if errors.As(err, &bad) && bad.Place.Line == 0 { // nothing in it can be corrected
		bad.Remedy = remedy
	}

	if err != nil {
		return nil, err
	}

	if len(in.Unscanned) > 0 {
		u := in.Unscanned[0]
		return nil, &input.InputError{Place: u.Place, Reason: u.Reason, Remedy: remedy}
	}

	if len(in.Servers) > 0 {
		return nil, &input.InputError{Place: in.Servers[0].Place, Reason: "a client's configuration is not a baseline",
			Remedy: "write one with --pin"}
	}

	b := &Baseline{Tools: make([]scanner.Tool, 0, len(in.Tools)+len(in.Others))}
	// Another list of tools may have another version, and may be no object.
	var rest struct {
		Version       *string
		RelativeNames bool `json:"relative_names"`
		Approvals     []Approval
		GeneratedFrom json.RawMessage `json:"generated_from"` // of a corpus
	}
	if err := json.Unmarshal(text, &rest); err != nil && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return nil, fail(input.Place{File: file}, "it is no baseline: "+safetext.Clip(err.Error(), 200), remedy)
	}

	ours := rest.Version != nil && slices.Contains([]string{baselineVersion, firstVersion}, *rest.Version)
	switch {
	case rest.Version != nil && !ours &&
		(rest.GeneratedFrom == nil || strings.HasPrefix(*rest.Version, "touchstone-scan-baseline/")):
		return nil, fail(input.Place{File: file},
			fmt.Sprintf("its version is %q, and this program reads %s, %s and corpora",
				safetext.Clip(*rest.Version, 80), baselineVersion, firstVersion), "use a newer program, or "+remedy)
	case ours:
		b.Approvals, b.RelativeNames, b.Pinned = rest.Approvals, rest.RelativeNames, true
	}

	seen := map[toolName]input.Tool{}
	for _, t := range slices.Concat(in.Tools, in.Others) {
		if t.Server == "" {
			return nil, &input.InputError{Place: t.Place, Reason: "a tool of a baseline names no server",
				Remedy: remedy}
		}

		key := toolName{t.Server, t.Label()}
		if other, twice := seen[key]; twice {
			if input.Content(&t.Tool) == input.Content(&other.Tool) {
				continue
			}

			return nil, fail(t.Place,
				fmt.Sprintf("it approves %s twice with different texts, here and at %s", safetext.Name(key.String()),
					other.Place), "keep the one that was approved, or "+remedy)
		}

		seen[key] = t
		b.Tools = append(b.Tools, t.Tool)
	}

	if rest.Version == nil && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return nil, fail(input.Place{File: file}, "it has no version, so it is no baseline", remedy)
	}

	return b, nil
}
