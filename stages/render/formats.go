package render

import (
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// format is one file that render writes.
type format struct {
	file string
	// reader and limit appear in the table of docs/reference/reports.md: who
	// reads the file, and its size limit and what is left out beyond it.
	reader, limit string
	write         func(contracts.Report) ([]byte, error)
	// noVerdict writes the file of a run without a verdict. Only report.json has
	// none, because such a run has no figures: without it, readers of a format
	// would take an earlier file for the result of this run.
	noVerdict func(contracts.NoVerdict) ([]byte, error)
	// withOrigins adds the results of other machines to the file, see WithOrigins.
	withOrigins func([]byte, []contracts.MadeElsewhere) ([]byte, error)
}

// formats lists the files in the order of help texts. No other place lists
// them all. docs/contributing/add-a-report-format.md describes how to add one.
var formats = []format{
	{
		file: "report.json", reader: "programs, `touchstone compare A B`",
		limit:       "none; it always holds everything",
		write:       func(r contracts.Report) ([]byte, error) { return contracts.Encode("report.json", r) },
		withOrigins: reportWithOrigins,
	},
	{
		file: "report.html", reader: "people",
		limit: "4.5 MB plus the data of the run: texts and lists are shortened, then rows are left out; the page " +
			"states what is missing",
		write: HTML, noVerdict: noVerdictHTMLPage,
	},
	{
		file: "report.md", reader: "a pull request's comment, a step summary",
		limit: "65,536 characters: a table that does not fit states how many rows are missing",
		write: func(r contracts.Report) ([]byte, error) { return Markdown(r), nil }, noVerdict: noVerdictMarkdown,
		withOrigins: markdownWithOrigins,
	},
	{
		file: "annotations.txt", reader: "GitHub's annotations",
		limit: "ten errors, ten warnings and ten notices; the first notice is the verdict, and the tenth annotation " +
			"of a kind gives the number of the rest",
		write: func(r contracts.Report) ([]byte, error) { return Annotations(r), nil }, noVerdict: noVerdictAnnotations,
	},
	{
		file: "junit.xml", reader: "test reporters", limit: "none",
		write: JUnit, noVerdict: noVerdictJUnit,
	},
}

// formatList lists the files for a help text.
func formatList() string {
	var b strings.Builder
	for _, f := range formats {
		b.WriteString("  " + f.file + strings.Repeat(" ", max(1, 17-len(f.file))) +
			strings.ReplaceAll(f.reader, "`", "") + "\n")
	}
	return b.String()
}
