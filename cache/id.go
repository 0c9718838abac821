package cache

import (
	"encoding/hex"
	"fmt"
)

// A Key names an action: it is the digest of everything that the result of a
// stage instance may depend on. A Digest names content: it is the SHA-256 of
// the uncompressed bytes. They are two types so that the compiler keeps them
// apart, like ActionID and OutputID in Go's build cache.
type (
	Key    [32]byte
	Digest [32]byte
)

func (k Key) String() string    { return hex.EncodeToString(k[:]) }
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Short returns the first 12 digits, which are enough to distinguish ids by eye.
func (k Key) Short() string    { return k.String()[:12] }
func (d Digest) Short() string { return d.String()[:12] }

// IsZero reports whether the id is unset.
func (k Key) IsZero() bool    { return k == Key{} }
func (d Digest) IsZero() bool { return d == Digest{} }

// ParseKey parses the format that Key.String returns.
func ParseKey(s string) (Key, error) {
	var k Key
	err := parseID(k[:], s)
	return k, err
}

func parseID(dst []byte, s string) error {
	if len(s) != 2*len(dst) {
		return fmt.Errorf("id %q has %d characters, want %d hexadecimal ones", s, len(s), 2*len(dst))
	}
	if _, err := hex.Decode(dst, []byte(s)); err != nil {
		return fmt.Errorf("id %q: %w", s, err)
	}
	return nil
}

// MarshalText returns the id in lower-case hexadecimal.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// MarshalText returns the id in lower-case hexadecimal.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses the format of MarshalText.
func (k *Key) UnmarshalText(b []byte) error { return parseID(k[:], string(b)) }

// UnmarshalText parses the format of MarshalText.
func (d *Digest) UnmarshalText(b []byte) error { return parseID(d[:], string(b)) }
