package validation

import (
	"slices"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestNames(t *testing.T) {
	for _, tc := range []struct {
		query, server, tool string
		want                naming
	}{
		{"please create issue for this", "git", "create_issue", named},
		{"please Create issue for this", "git", "createIssue", named},
		{"use create-issue", "git", "CreateIssue", named},
		{"use createissue", "git", "create_issue", named},
		{"use git:create_issue", "git", "create_issue", named},
		{"CREATE ISSUE now", "git", "create_issue", named},
		{"create an issue for this", "git", "create_issue", notNamed},
		{"the issue create failed", "git", "create_issue", notNamed},
		{"procreate issues", "git", "create_issue", notNamed},
		{"What does Cloudflare Radar say?", "x", "cloudflare_radar", properName},
		{"Create Issue about the crash", "git", "create_issue", named},
		{"Create Issue about the crash", "git", "createIssue", named},
		{"\uff43\uff52\uff45\uff41\uff54\uff45\uff3f\uff49\uff53\uff53\uff55\uff45", "git", "create_issue", named},
		{"How do I play Tic-Tac-Toe?", "x", "TicTacToe", properName},
		{"Use Cloudflare_Radar", "x", "cloudflare_radar", named},
		{"Call Tic-Tac-Toe", "x", "Tic-Tac-Toe", named},
		{"cloudflare radar or Cloudflare Radar", "x", "cloudflare_radar", named},
		{"search the web for otters", "web", "search", notNamed},
		{"use `search` for otters", "web", "search", named},
		{"use “search” for otters", "web", "search", named},
		{"the search tool, please", "web", "search", named},
		{"call function search", "web", "search", named},
		{"ask web:search about otters", "web", "search", named},
		{"the forecast for tomorrow", "sky", "forecast", named},
		{"forecasting otters", "sky", "forecast", notNamed},
		{"export the PDF", "x", "PDFExporter", notNamed},
		{"a pdf exporter", "x", "PDFExporter", named},
		{"查询 天气", "x", "查询", notNamed},
		{"", "x", "y", notNamed},
		{"anything", "x", "_", notNamed},
	} {
		if got := names(tc.query, tc.server, tc.tool); got != tc.want {
			t.Errorf("names(%q, %q, %q) = %d, want %d", tc.query, tc.server, tc.tool, got, tc.want)
		}
	}
}

func TestNameWords(t *testing.T) {
	for name, want := range map[string][]string{
		"create_issue":     {"create", "issue"},
		"createIssue":      {"create", "issue"},
		"get-current-date": {"get", "current", "date"},
		"PDFExporter":      {"pdf", "exporter"},
		"AI2sql":           {"ai2sql"},
		"web2Search":       {"web2", "search"},
		"PDF&URLTool":      {"pdf", "url", "tool"},
		"SSH":              {"ssh"},
		"":                 nil,
	} {
		if got := nameWords(name); !slices.Equal(got, want) {
			t.Errorf("nameWords(%q) = %q, want %q", name, got, want)
		}
	}
}

// FuzzNames looks for texts with wrong offsets, and checks the first rule: the words in sequence name
// the tool.
func FuzzNames(f *testing.F) {
	f.Add("please", "Create_issue", "x")
	f.Add("İstanbul", "ǅ-ab", "x")
	f.Add("0 ", "Dž\xf1ǅ", "x")
	f.Fuzz(func(t *testing.T, query, tool, server string) {
		names(query, server, tool)
		if !utf8.ValidString(query) || !utf8.ValidString(tool) {
			// Such a dataset is refused earlier. One pass of NFKC does not
			// normalise the neighbours of an invalid byte.
			return
		}
		query, tool = norm.NFKC.String(query), norm.NFKC.String(tool)
		words := nameWords(tool)
		if len(words) < 2 {
			return
		}
		text := query + " "
		for _, w := range words {
			text += w + "_"
		}
		if row := textWords(text); len(row) >= len(words) && hasRow(row[len(row)-len(words):], words) && names(text, server, tool) != named {
			t.Errorf("names(%q, %q) is not named", text, tool)
		}
	})
}
