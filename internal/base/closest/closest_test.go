package closest

import "testing"

func TestTo(t *testing.T) {
	known := []string{"a", "runs", "scanner", "score-retrieval", "Recall"}
	for given, want := range map[string]string{
		"scaner": "scanner", "score-retreival": "score-retrieval", "run": "runs", "rnus": "runs", "recal": "Recall", "SCANNER": "scanner", "b": "a",
		// Nothing of these is left.
		"zz": "", "": "", "scoring": "", "unrelated-name": "",
	} {
		if got := To(given, known); got != want {
			t.Errorf("To(%q) = %q, want %q", given, got, want)
		}
	}
	if got := To("tool", []string{"tool2", "tool1"}); got != "tool2" {
		t.Errorf("of two equally close names it returns %q, want the first", got)
	}
}
