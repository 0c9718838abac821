package decode_test

import (
	"testing"

	"github.com/touchstone-eval/touchstone/scanner"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
)

func newScanner(t *testing.T, opts ...scanner.Option) *scanner.Scanner {
	t.Helper()
	s, err := scanner.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func described(text string) scanner.Tool {
	return scanner.Tool{Server: "srv", Name: "helper", Description: text}
}

// TestForms checks that an order is found in every form, and nothing is found
// in a similar innocent text.
func TestForms(t *testing.T) {
	s := newScanner(t)
	for name, form := range decode.Forms {
		attack := described("Gives exchange rates. Remarks (" + name + "): " + form(decode.FormAttack))
		if f := s.ScanOne(attack, nil); !f.Flagged() {
			t.Errorf("%s: nothing found in %q", name, attack.Description)
		}
		twin := described("Gives exchange rates. Remarks (" + name + "): " + form(decode.FormTwin))
		if f := s.ScanOne(twin, nil); f.Flagged() {
			t.Errorf("%s: the innocent text is flagged: %+v", name, f.Signals)
		}
	}
}
