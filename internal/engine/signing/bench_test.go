package signing

import (
	"testing"
	"time"
)

// BenchmarkSign and BenchmarkVerify have a message of the size of a record.
func BenchmarkSign(b *testing.B) {
	file, _ := newKey(b)
	key, err := OpenKey(b.Context(), file, noEnvironment)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := key.Sign(make([]byte, 2000)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	file, public := newKey(b)
	key, err := OpenKey(b.Context(), file, noEnvironment)
	if err != nil {
		b.Fatal(err)
	}
	message := make([]byte, 2000)
	signature, err := key.Sign(message)
	if err != nil {
		b.Fatal(err)
	}
	a := list(b, "ci "+public)
	for b.Loop() {
		if _, err := a.Verify(message, signature, time.Now()); err != nil {
			b.Fatal(err)
		}
	}
}
