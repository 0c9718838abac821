package render

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// The largest report.md has room for the note about results of other machines, whatever their names.
func TestMarkdownHasRoomForOrigins(t *testing.T) {
	r := sampleReport(t, 10)
	for i := range 1000 {
		r.Gate.Changes = append(r.Gate.Changes, contracts.Change{Subject: summary.Retrieval, ID: fmt.Sprint(i), State: contracts.ChangeNew, Title: strings.Repeat("long ", 40)})
	}
	content := Markdown(r)
	if len(content) < wording.MaxComment-2*maxOrigins {
		t.Fatalf("the report has only %d bytes", len(content))
	}
	var list []contracts.MadeElsewhere
	for i := range 50 {
		list = append(list, contracts.MadeElsewhere{Stage: fmt.Sprint("stage", i), Origin: fmt.Sprint(i, strings.Repeat("@&<[", 1000))})
	}
	with, err := WithOrigins("report.md", content, list)
	if err != nil {
		t.Fatal(err)
	}
	if len(with) > wording.MaxComment {
		t.Errorf("report.md has %d bytes with the note, at most %d are possible", len(with), wording.MaxComment)
	}
	if !bytes.Contains(with, []byte("50 results come from another machine")) || !bytes.Contains(with, []byte("other origins")) {
		t.Errorf("%.2000s", with)
	}
}
