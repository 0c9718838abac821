package scoresecurity

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/touchstone-eval/touchstone/contracts"
)

const committed = "../../datasets/security_v1.json"

func readCommitted(t *testing.T) contracts.SecurityCorpus {
	t.Helper()
	corpus, err := contracts.Read[contracts.SecurityCorpus](committed)
	if err != nil {
		t.Fatal(err)
	}
	return corpus
}

// The datasheet promises these properties. validate-datasets only checks those of every corpus.
func TestCommittedCorpus(t *testing.T) {
	corpus := readCommitted(t)
	attacks, twins, plain := map[string]int{}, map[string]int{}, 0
	var ids []string
	for _, e := range corpus.Entries {
		ids = append(ids, e.ID)
		switch e.Category {
		case contracts.CategoryHardNegative:
			twins[e.HardNegativeFor]++
		case contracts.CategoryBenign:
			plain++
		default:
			attacks[e.Category]++
		}
		if malicious := e.Label == contracts.LabelMalicious; malicious != slices.Contains(contracts.AttackCategories, e.Category) {
			t.Errorf("%s: label %s and category %s contradict each other", e.ID, e.Label, e.Category)
		}
		if e.Category == contracts.CategoryShadowing && len(e.Peers) == 0 {
			t.Errorf("%s: shadowing without a peer to shadow", e.ID)
		}
		if e.Category == contracts.CategoryRugPull && e.Approved == nil {
			t.Errorf("%s: a rug pull without an approved version", e.ID)
		}
		if a := e.Approved; a != nil && e.Category == contracts.CategoryRugPull && a.Description == e.Description &&
			bytes.Equal(a.InputSchema, e.InputSchema) && bytes.Equal(a.OutputSchema, e.OutputSchema) {
			t.Errorf("%s: nothing changed since the approval", e.ID)
		}
	}
	if !slices.IsSorted(ids) || len(slices.Compact(ids)) != len(corpus.Entries) {
		t.Error("ids are not sorted and unique")
	}
	if len(corpus.Entries) < 200 || plain < 50 {
		t.Errorf("%d entries, %d of them plain benign", len(corpus.Entries), plain)
	}
	for _, category := range contracts.AttackCategories {
		if attacks[category] < 12 || twins[category] < 5 {
			t.Errorf("%s: %d attacks and %d hard negatives", category, attacks[category], twins[category])
		}
	}
}

// Invisible characters are escaped in the file, so that a reader can see them.
func TestCommittedCorpusIsVisible(t *testing.T) {
	data, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(string(data), "\n") {
		for _, r := range line {
			if unicode.In(r, unicode.Cf, unicode.Cc, unicode.Co, unicode.Variation_Selector) || blank(r) {
				t.Errorf("line %d holds %U as it is", n+1, r)
			}
		}
	}
}

// Attacks must not refer to real hosts: they use reserved domains.
func TestCommittedCorpusIsHarmless(t *testing.T) {
	data, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"https://", "http://"} {
		for rest := string(data); ; {
			_, after, ok := strings.Cut(rest, scheme)
			if !ok {
				break
			}
			rest = after
			host := after[:strings.IndexAny(after+"/", "/ \"\\<")]
			if !strings.HasSuffix(host, ".example") && !strings.HasSuffix(host, ".invalid") && host != "example.com" {
				t.Errorf("%s%s is not in a reserved domain", scheme, host)
			}
		}
	}
}

func TestKnownPoisoningAndHardNegativeAreVisible(t *testing.T) {
	r := runWith(t, Options{Security: committed, Detector: "keywords", Run: 1})
	if e := find(t, r, "tp-001"); e.Verdict != contracts.VerdictFlagged || e.Label != contracts.LabelMalicious {
		t.Errorf("the poisoning tp-001 is %s", e.Verdict)
	}
	if e := find(t, r, "hn-pi-001"); e.Verdict != contracts.VerdictFlagged || e.Evidence == "" {
		t.Errorf("hn-pi-001, which the control flags wrongly, is %s with evidence %q", e.Verdict, e.Evidence)
	}
	falsePositives := 0
	for _, e := range r.PerEntry {
		if e.Verdict == contracts.VerdictFlagged && e.Label == contracts.LabelBenign {
			falsePositives++
		}
	}
	if falsePositives != r.Detector.FP || falsePositives == 0 {
		t.Errorf("%d false positives are shown, %d were counted", falsePositives, r.Detector.FP)
	}
	if r.Detector.Errored != 0 || len(r.PerEntry) != len(readCommitted(t).Entries) {
		t.Errorf("%d entries, %d errored", len(r.PerEntry), r.Detector.Errored)
	}
}
