package report

import (
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
)

// unscannedItems lists what was not scanned. More than maxAlike definitions with one
// reason are one entry with their places.
func unscannedItems(all []input.Unscanned) []item {
	type cause struct{ reason, remedy string }
	of := map[cause][]input.Unscanned{}
	for _, u := range all {
		if isDefinition(u) {
			c := cause{u.Reason, u.Remedy}
			of[c] = append(of[c], u)
		}
	}

	var items []item
	for _, u := range all {
		same := of[cause{u.Reason, u.Remedy}]
		switch {
		case !isDefinition(u) || len(same) <= maxAlike:
			items = append(items, item{Subject: subject(u), Text: detail(u), Output: u.Output})
		case same[0].Place == u.Place:
			it := item{Text: fmt.Sprintf("%d definitions: %s; %s", len(same), u.Reason, u.Remedy)}
			for i, s := range same {
				if i == maxPlaces {
					it.Lines = append(it.Lines,
						fmt.Sprintf("and %d more; the JSON output lists all of them", len(same)-i))
					break
				}

				it.Lines = append(it.Lines, fmt.Sprintf("%s (%s)", subject(s), s.Place))
			}

			items = append(items, it)
		}
	}

	return items
}

// isDefinition reports whether it is a definition in a file that was not scanned, and not
// a file or a server.
func isDefinition(u input.Unscanned) bool {
	return u.Server != "" && u.Source == "" && u.Place.Line > 0 && len(u.Output) == 0
}

func subject(u input.Unscanned) string {
	switch {
	case u.Server != "" && u.Tool != "":
		return safetext.Clip(u.Server, safetext.MaxName) + ":" + safetext.Clip(u.Tool, safetext.MaxName)
	case named(u):
		return safetext.Clip(u.Source, 1000)
	case u.Server != "":
		return safetext.Clip(u.Server, safetext.MaxName)
	}
	return u.Place.String()
}

// named reports whether the source of a server, an address, names it: it has no other name
// than the host.
func named(u input.Unscanned) bool {
	return u.Server != "" && u.Tool == "" && strings.Contains(u.Source+"/", "://"+u.Server+"/")
}

func detail(u input.Unscanned) string {
	var b strings.Builder
	if u.Source != "" && !named(u) {
		fmt.Fprintf(&b, "%s: ", safetext.Clip(u.Source, 1000))
	}

	b.WriteString(u.Reason)
	if u.Remedy != "" {
		b.WriteString("; " + u.Remedy)
	}

	if u.Server != "" && u.Place.File != "" && u.Place.File != "<server "+u.Server+">" {
		fmt.Fprintf(&b, " (%s)", u.Place)
	}

	return b.String()
}

// oneLine is detail with the output of the server, for formats of one line.
func oneLine(u input.Unscanned) string {
	text := detail(u)
	if len(u.Output) > 0 {
		text += "; " + outputTitle + " " + strings.Join(u.Output, " | ")
	}
	return text
}

const outputTitle = "the end of what it printed:"
