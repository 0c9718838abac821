package safetext

import "testing"

// Names that a reader could take for each other are shown in different ways.
func TestPath(t *testing.T) {
	for in, want := range map[string]string{
		"src/café.txt": "src/café.txt", "caf\xe9": `caf\xE9`, `caf\xE9`: `caf\\xE9`, `caf\\xE9`: `caf\\\\xE9`, "a\nb": `a\u{A}b`, `a\u{A}b`: `a\\u{A}b`,
		"\xff\n\ufffd": `\xFF\u{A}` + "\ufffd", "\ufffd\n\ufffd": "\ufffd\\u{A}\ufffd",
	} {
		if got := Path(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 日本 😀": "plain é 日本 😀", "a\tb\n\x00": `a\u{9}b\u{A}\u{0}`, "\u202ea\u2066": `\u{202E}a\u{2066}`,
		"\u200b\u200d\ufeff\u00ad": `\u{200B}\u{200D}\u{FEFF}\u{AD}`, "\U000e0041\ufe0f\u3164\u2800": `\u{E0041}\u{FE0F}\u{3164}\u{2800}`,
		"\x9b\xff": "\ufffd\ufffd", "\u009b\u2028\ue000\u00a0": `\u{9B}\u{2028}\u{E000}\u{A0}`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
