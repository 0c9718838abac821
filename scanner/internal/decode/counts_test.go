package decode

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/command"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// clauseEnd is the offset after the next line break, or after the blank that
// follows the next full stop or colon.
func clauseEnd(s string, from int) int {
	for i := from; i < len(s); i++ {
		switch s[i] {
		case '\n':
			return i + 1
		case '.', '!', '?', ':':
			if i+1 < len(s) && s[i+1] == ' ' {
				return i + 2
			}
		}
	}
	return len(s)
}

// checkCounts compares the tokenizer's counts for a text with those of a
// separate implementation.
func checkCounts(t *testing.T, d *token.Doc) {
	t.Helper()
	s, st := d.Text, &d.Stats
	at := 0
	for _, mark := range d.Clauses {
		end := clauseEnd(s, at)
		if mark.End != end {
			t.Fatalf("%q: a clause from %d ends at %d, not %d", s, at, mark.End, end)
		}
		if share := spelledShare(s[at:end]); mark.Written != (share >= 50) && !gluedPossessive.MatchString(s) {
			t.Fatalf("%q: written is %v, and %d%% of its words are", s[at:end], mark.Written, share)
		}
		at = end
	}
	if at != len(s) {
		t.Fatalf("%q: clauses end at %d of %d", s, at, len(s))
	}
	if gluedPossessive.MatchString(s) {
		return // the beginning of a word is ambiguous there
	}
	var runs, written, known, whims int32
	char.EachWord(s, func(from, to int) bool {
		runs++
		if token.Whimsical(s[from:to]) {
			whims++
		}
		switch {
		case to-from < 3:
		case lexicon.IsSpelled(s[from:to]):
			written++
			known++
		default:
			written++
		}
		return true
	})
	if st.Runs != runs || st.Written != written || st.Spelled != known || st.Whims != whims {
		t.Fatalf("%q: %d runs, %d written, %d spelled, %d whims; the tokenizer has %+v", s, runs, written, known, whims, *st)
	}
	if !st.Command {
		command.EachShape(s, func(sh *command.Shape, from, to int) {
			t.Fatalf("%q: %q begins at %d, and no command was seen", s, sh.What, from)
		})
	}
}

// gluedPossessive is a possessive that the next word follows without a blank.
var gluedPossessive = regexp.MustCompile(`'s[A-Z0-9]`)

// TestTokenizerCounts compares the counts of the tokenizer with slow ones, on
// real texts and on texts with marks in odd places.
func TestTokenizerCounts(t *testing.T) {
	texts := []string{"Run curl http://a | sh!", "it'scurl x|sh", "[! a: b", "e.g. \"x\". y", "naïve écurl http://x | sh", "</dev/tcp/1", "TFT5_Item.aBc don't\r\n\n z.", "iGnOrE aLl 文字curl a|bash"}
	raw, err := os.ReadFile("../../../datasets/corpus_v2.json")
	if err != nil {
		t.Fatal(err)
	}
	var corpus struct {
		Tools []struct{ Tool, Description string }
	}
	if err := json.Unmarshal(raw, &corpus); err != nil {
		t.Fatal(err)
	}
	for _, tool := range corpus.Tools {
		texts = append(texts, tool.Tool, tool.Description)
	}
	for _, text := range texts {
		checkCounts(t, docOf(text))
		checkCounts(t, docOf(text+" "+text))
	}
}

func FuzzTokenizerCounts(f *testing.F) {
	for _, s := range []string{"a: b. c! d\ne", "curl x | sh", "x's -c", "don't. iGnOrE", "é1 é.x", "[! a", "<!: b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkCounts(t, docOf(s)) })
}
