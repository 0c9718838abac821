package render

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// WithOrigins adds to a published file the results of the run that another machine made. The stage
// cannot do that, because its output depends on its inputs alone, so the command line does it when
// it publishes the file. It returns files of other names as they are. WithRun adds them to
// report.html.
func WithOrigins(file string, content []byte, list []contracts.MadeElsewhere) ([]byte, error) {
	if len(list) == 0 {
		return content, nil
	}
	for _, f := range formats {
		if f.file == file && f.withOrigins != nil {
			return f.withOrigins(content, list)
		}
	}
	return content, nil
}

func reportWithOrigins(content []byte, list []contracts.MadeElsewhere) ([]byte, error) {
	r, err := contracts.Decode[contracts.Report]("report.json", content)
	if err != nil {
		return nil, err
	}
	r.MadeElsewhere = list
	return contracts.Encode("report.json", r)
}

// maxOrigins is the room in bytes that report.md keeps for the note about results of other machines.
const maxOrigins = 2800

// shownOrigins is the largest number of origins that report.md names.
const shownOrigins = 4

// markdownWithOrigins adds a note after the verdict, which is the second paragraph.
func markdownWithOrigins(content []byte, list []contracts.MadeElsewhere) ([]byte, error) {
	at := 0
	for range 2 {
		end := bytes.Index(content[at:], []byte("\n\n"))
		if end < 0 {
			return nil, fmt.Errorf("report.md has no verdict; render it again")
		}
		at += end + 2
	}
	return slices.Concat(content[:at], []byte(originsNote(list)), content[at:]), nil
}

func originsNote(list []contracts.MadeElsewhere) string {
	stages := map[string][]string{}
	var origins []string
	for _, m := range list {
		if stages[m.Origin] == nil {
			origins = append(origins, m.Origin)
		}

		if !slices.Contains(stages[m.Origin], m.Stage) {
			stages[m.Origin] = append(stages[m.Origin], m.Stage)
		}
	}

	// Escaping makes texts longer.
	text := ""
	for shown := min(len(origins), shownOrigins); shown > 0; shown-- {
		var parts []string
		for _, o := range origins[:shown] {
			parts = append(parts, wording.Shorten(o, 160)+" ("+wording.Shorten(strings.Join(stages[o], ", "), 80)+")")
		}

		if more := len(origins) - shown; more > 0 {
			parts = append(parts, fmt.Sprintf("and from %s, which report.json lists",
				wording.CountOf(more, "1 other origin", "%d other origins")))
		}

		if text = wording.Markdown(strings.Join(parts, "; ")); len(text) < maxOrigins-200 {
			break
		}
	}

	sign := ""
	if slices.ContainsFunc(list, func(m contracts.MadeElsewhere) bool { return !m.Signed }) {
		sign = "⚠️ "
	}

	return fmt.Sprintf("> %s%s: %s\n\n", sign,
		wording.CountOf(len(list), "1 result comes from another machine",
			"%d results come from another machine"), text)
}
