package main

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

// TestPacked compares the committed file with the output for the word lists.
func TestPacked(t *testing.T) {
	lex := compileLexicon()
	if !bytes.Equal(packLexicon(lex), lexicon.Packed) {
		t.Error("lexicon.bin does not match the word lists: run go run ./scanner/training")
	}
}

// TestUnpacked checks that the scanner unpacks what was packed.
func TestUnpacked(t *testing.T) {
	lex := compileLexicon()
	if got := lexicon.Get(); !reflect.DeepEqual(got, lex) {
		t.Error("the lexicon is not what was packed")
	}
}
