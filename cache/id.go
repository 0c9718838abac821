package cache

import (
	"encoding/hex"
	"fmt"
)

// A Key names an action: the digest over everything that a stage instance's
// result may depend on. A Digest names content: the SHA-256 of uncompressed
// bytes. They are two types so that the compiler keeps them apart, as Go's
// build cache does with ActionID and OutputID.
type (
	Key    [32]byte
	Digest [32]byte
)

func (k Key) String() string    { return hex.EncodeToString(k[:]) }
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Short is enough of an id to tell it apart by eye.
func (k Key) Short() string    { return k.String()[:12] }
func (d Digest) Short() string { return d.String()[:12] }

// IsZero reports whether the id was never set.
func (k Key) IsZero() bool    { return k == Key{} }
func (d Digest) IsZero() bool { return d == Digest{} }

// ParseKey reads what Key.String wrote.
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

// MarshalText writes the id in lower-case hexadecimal.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// MarshalText writes the id in lower-case hexadecimal.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (k *Key) UnmarshalText(b []byte) error { return parseID(k[:], string(b)) }

// UnmarshalText reads what MarshalText wrote.
func (d *Digest) UnmarshalText(b []byte) error { return parseID(d[:], string(b)) }
