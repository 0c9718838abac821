package pages

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/scanner"
)

// Each example of a check's page is a list of tools. The test of all pages scans them.
func TestExamples(t *testing.T) {
	for _, c := range scanner.Checks() {
		fires, near := Examples(c.ID)
		page, err := files.ReadFile(c.ID + ".md")
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(page), "flagged: "+c.ID+" -->"); len(fires) == 0 || len(fires)+len(near) != n {
			t.Errorf("%s: %d examples that are reported and %d that are not, of %d", c.ID, len(fires), len(near), n)
		}
		for _, text := range append(fires, near...) {
			var tools []scanner.Tool
			if err := json.Unmarshal([]byte(text), &tools); err != nil || len(tools) == 0 || tools[0].Name == "" {
				t.Errorf("%s: %v: %s", c.ID, err, text)
			}
		}
	}
	if fires, near := Examples("none"); fires != nil || near != nil {
		t.Error("a page that does not exist has examples")
	}
}
