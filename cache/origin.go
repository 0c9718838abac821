package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// An Origin says how a result that this machine did not make came into the store. A result
// without an Origin was made here.
type Origin struct {
	Way  Way       `json:"way"`
	From string    `json:"from"` // the name of a file, or an address
	At   time.Time `json:"at"`
	// Signer is who signed the result, by a key that was on the allow-list at that
	// time. It is nil if the user took the result on trust.
	Signer *Signer `json:"signer,omitempty"`
}

// A Way is a way by which results come into a store.
type Way string

// Imported is the way of an archive, and Fetched that of a Source.
const (
	Imported Way = "imported"
	Fetched  Way = "fetched"
)

// A Signer is the holder of a key. Key is the fingerprint of the public key, such as
// "SHA256:...". Name is what the allow-list calls the holder.
type Signer struct {
	Name string `json:"name"`
	Key  string `json:"key"`
}

func (s *Signer) String() string { return fmt.Sprintf("%s (%s)", printable(s.Name), s.Key) }

// String returns a phrase such as "imported from main.cache on 2026-11-23, signed by ci
// (SHA256:...)".
func (o *Origin) String() string {
	by := "taken on trust"
	if o.Signer != nil {
		by = "signed by " + o.Signer.String()
	}
	return fmt.Sprintf("%s from %s on %s, %s", o.Way, printable(o.From), o.At.Format(time.DateOnly), by)
}

// printable quotes a text that a terminal would not show as it is.
func printable(s string) string {
	if q := strconv.Quote(s); q != `"`+s+`"` {
		return q
	}
	return s
}

// The file of a record that was made elsewhere is the record's own file, byte for byte, after a
// header. A signature covers the record's own file.
//
//	"TSF1", or "TSF2" if content may be remote
//	u32 length of the origin, u32 length of the signature
//	u32 number of contents that may be remote, only after "TSF2"
//	32  SHA-256 of the three
//	origin, in JSON
//	signature, which may be empty
//	for each content that may be remote: 32 digest, i64 size
//	the record's own file
//
// The header comes first, so that a file that is cut off never looks like a record that was made
// here.
const (
	foreignMagic     = "TSF1"
	remoteMagic      = "TSF2"
	foreignFixedSize = 4 + 2*4 + 32
	remoteSize       = 32 + 8
	maxSignature     = 64 << 10
	maxOrigin        = 16 << 10
	maxRemote        = maxOutputs + 2 // an output each, and the logs
)

// foreign is the file of a record, without its header. origin is empty for a record that was made
// here.
type foreign struct {
	record, signature []byte
	origin            string
	remote            []SizedDigest
}

// encodeForeign returns the file of a record that was made elsewhere.
func encodeForeign(record, signature []byte, o *Origin, remote []SizedDigest) ([]byte, error) {
	js, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("the origin of a record: %w", err)
	}

	if len(remote) > maxRemote {
		return nil, fmt.Errorf("a record needs %d contents from elsewhere, at most %d are possible", len(remote),
			maxRemote)
	}

	if len(js) > maxOrigin || len(signature) > maxSignature {
		return nil, fmt.Errorf("the origin of a record has %d bytes and its signature %d, at most %d and %d are "+
			"possible", len(js), len(signature), maxOrigin, maxSignature)
	}

	le := binary.LittleEndian
	parts := append(js[:len(js):len(js)], signature...)
	for _, a := range remote {
		parts = le.AppendUint64(append(parts, a.Digest[:]...), uint64(a.Size))
	}

	b := make([]byte, 0, foreignFixedSize+4+len(parts)+len(record))
	if len(remote) == 0 {
		b = append(b, foreignMagic...)
	} else {
		b = append(b, remoteMagic...)
	}

	b = le.AppendUint32(b, uint32(len(js)))
	b = le.AppendUint32(b, uint32(len(signature)))
	if len(remote) > 0 {
		b = le.AppendUint32(b, uint32(len(remote)))
	}

	sum := sha256.Sum256(parts)
	b = append(append(b, sum[:]...), parts...)
	return append(b, record...), nil
}

// splitForeign returns the parts of a record's file.
func splitForeign(b []byte) (f foreign, err error) {
	lacks := bytes.HasPrefix(b, []byte(remoteMagic))
	if !lacks && !bytes.HasPrefix(b, []byte(foreignMagic)) {
		return foreign{record: b}, nil
	}

	c := cursor{b: b[len(foreignMagic):]}
	js, sig, contents := int(c.u32()), int(c.u32()), 0
	if lacks {
		contents = int(c.u32())
	}

	sum := c.take(32)
	if js > maxOrigin || sig > maxSignature || contents > maxRemote || js+sig+contents*remoteSize > len(c.b) ||
		c.short {
		return f, errShortRecord
	}

	if sha256.Sum256(c.b[:js+sig+contents*remoteSize]) != [32]byte(sum) {
		return f, errors.New("its origin does not match its checksum")
	}

	text := string(c.take(js))
	if _, err := decodeOrigin(text); err != nil {
		return f, err
	}

	f.origin, f.signature = text, c.take(sig)
	for range contents {
		var a SizedDigest
		c.copy(a.Digest[:])
		if a.Size = int64(c.u64()); a.Size < 0 {
			return foreign{}, fmt.Errorf("it needs content of %d bytes from elsewhere", a.Size)
		}

		f.remote = append(f.remote, a)
	}

	f.record = c.b
	return f, nil
}

// origins holds the decoded origins. All results of an archive that one key signed share one.
var origins sync.Map // of string to *Origin

// decodeOrigin returns nil for an empty text.
func decodeOrigin(text string) (*Origin, error) {
	if text == "" {
		return nil, nil
	}

	if o, ok := origins.Load(text); ok {
		return o.(*Origin), nil
	}

	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	o := new(Origin)
	if err := dec.Decode(o); err != nil {
		return nil, fmt.Errorf("its origin: %w", err)
	}

	if o.Way == "" {
		return nil, errors.New("its origin has no way")
	}

	origins.Store(strings.Clone(text), o)
	return o, nil
}
