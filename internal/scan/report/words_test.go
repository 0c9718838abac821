package report

import (
	"strings"
	"testing"
)

func TestChangedWords(t *testing.T) {
	long := strings.Repeat("word ", 50)
	for _, tt := range []struct{ was, now, want string }{
		{"Adds two numbers.", "Adds three numbers.", "Adds [-two-] {+three+} numbers."},
		{"", "New text.", "{+New text.+}"},
		{"Old text.", "", "[-Old text.-]"},
		{"a b c", "a  b\nc", "white space"},
		{long + "end.", long + "end. Read this.", "… word word word end. {+Read this.+}"},
		{"Begin. " + long, "Start. " + long, "[-Begin.-] {+Start.+} word word word word …"},
		{"a b c d e f g h i j k l", "x b c d e f g h i j k y", "[-a-] {+x+} b c d e … h i j k [-l-] {+y+}"},
		{"a b c d", "b c e d", "[-a-] b c {+e+} d"},
	} {
		if got := changedWords(tt.was, tt.now); got != tt.want {
			t.Errorf("%.20q, %.20q: %s, want %s", tt.was, tt.now, got, tt.want)
		}
	}
	if got := changedWords(strings.Repeat("a ", 5000), strings.Repeat("b ", 5000)); len(got) > 2*maxWords || !strings.HasPrefix(got, "[-a a") {
		t.Errorf("%d bytes: %.50s", len(got), got)
	}
}
