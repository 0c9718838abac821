package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRecordRoundTrip(t *testing.T) {
	s := newStore(t)
	want := mustRecord(t, s, testKey(7), "first", "second")
	want.Outputs[1].Dir = true
	want.Expires = s.clock().Add(time.Hour).UTC().Truncate(time.Nanosecond)
	want.Started = want.Started.UTC().Round(0)
	if err := s.PutRecord(want); err != nil {
		t.Fatal(err)
	}
	got, miss := s.Lookup(want.Key)
	if miss != nil {
		t.Fatalf("miss: %+v", miss)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("record changed (-want +got):\n%s", diff)
	}
	short, miss := s.Outputs(want.Key, 0)
	if miss != nil || short.Duration != want.Duration {
		t.Errorf("Outputs: %v, %+v", short.Duration, miss)
	}
	if diff := cmp.Diff(want.Outputs, short.Outputs); diff != "" {
		t.Errorf("outputs changed (-want +got):\n%s", diff)
	}
}

func TestPutRecordRefuses(t *testing.T) {
	s := newStore(t)
	d := mustPut(t, s, "x")
	good := func() *Record {
		return &Record{Key: testKey(1), Stage: "s", Outputs: []RecordOutput{{Name: "a", Path: "out/a", Digest: d, Size: 1}, {Name: "b", Path: "out/b", Digest: d, Size: 1}}}
	}
	for _, tc := range []struct {
		name   string
		change func(*Record)
		want   string
	}{
		{"failed action", func(r *Record) { r.ExitCode = 256 }, "exit code 256"},
		{"zero key", func(r *Record) { r.Key = Key{} }, "key is zero"},
		{"missing blob", func(r *Record) { r.Outputs[0].Digest = Digest{9} }, "output a"},
		{"missing log", func(r *Record) { r.Stderr = Digest{9} }, "its log"},
		{"no digest", func(r *Record) { r.Outputs[0].Digest = Digest{} }, "no digest"},
		{"two of one name", func(r *Record) { r.Outputs[1].Name = "a" }, `"a" is listed twice`},
		{"escaping path", func(r *Record) { r.Outputs[0].Path = "../a" }, "inside the action's directory"},
		{"absolute path", func(r *Record) { r.Outputs[0].Path = "/etc/passwd" }, "inside the action's directory"},
		{"negative size", func(r *Record) { r.Outputs[0].Size = -1 }, "size -1"},
		{"no name", func(r *Record) { r.Outputs[0].Name = "" }, "name of 0 bytes"},
	} {
		r := good()
		tc.change(r)
		if err := s.PutRecord(r); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q in it", tc.name, err, tc.want)
		}
		if _, miss := s.Lookup(testKey(1)); miss == nil {
			t.Errorf("%s: a record was left", tc.name)
		}
	}
	if err := s.PutRecord(good()); err != nil {
		t.Error(err)
	}
}

func TestMissReasons(t *testing.T) {
	clock := newClock()
	s := openAt(t, filepath.Join(t.TempDir(), "c"), Options{Clock: clock.Now})

	check := func(t *testing.T, k Key, want Miss) {
		t.Helper()
		_, full := s.Lookup(k)
		_, hot := s.Outputs(k, 0)
		if want.Kind == Corrupt {
			// The first lookup of a corrupt record removes it, and the second
			// reports that.
			if full == nil || hot == nil || full.Kind != Corrupt || hot.Kind != Corrupt || !strings.Contains(full.Reason, want.Reason) {
				t.Errorf("got %+v and %+v, want %+v", full, hot, want)
			}
			return
		}
		for _, got := range []*Miss{full, hot} {
			if got == nil || !strings.Contains(got.Reason, want.Reason) || got.Kind != want.Kind {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	}

	t.Run("never there", func(t *testing.T) { check(t, testKey(1), Miss{Reason: "no record", Kind: Absent}) })
	t.Run("output missing", func(t *testing.T) {
		r := mustRecord(t, s, testKey(2), "one")
		os.Remove(s.entryPath(blobsDir, r.Outputs[0].Digest))
		check(t, r.Key, Miss{Reason: "output a (sha256 " + r.Outputs[0].Digest.Short() + ") is missing", Kind: Incomplete})
	})
	t.Run("log missing", func(t *testing.T) {
		r := mustRecord(t, s, testKey(3), "two")
		os.Remove(s.entryPath(blobsDir, r.Stdout))
		check(t, r.Key, Miss{Reason: "the standard output", Kind: Incomplete})
	})
	t.Run("expired", func(t *testing.T) {
		r := mustRecord(t, s, testKey(4), "three")
		r.Expires = clock.Now().Add(time.Hour)
		if err := s.PutRecord(r); err != nil {
			t.Fatal(err)
		}
		if _, miss := s.Lookup(r.Key); miss != nil {
			t.Errorf("miss before its time: %+v", miss)
		}
		clock.Advance(-2 * time.Hour)
		check(t, r.Key, Miss{Reason: "in the future", Kind: Expired})
		clock.Advance(3 * time.Hour)
		check(t, r.Key, Miss{Reason: "expired at 2026-11-20T13:00:00Z", Kind: Expired})
	})
	t.Run("under another key", func(t *testing.T) {
		r := mustRecord(t, s, testKey(5), "four")
		b, err := os.ReadFile(s.entryPath(recordsDir, r.Key))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.writeFile(s.entryPath(recordsDir, testKey(6)), b, 0); err != nil {
			t.Fatal(err)
		}
		check(t, testKey(6), Miss{Reason: "holds the record of " + r.Key.Short(), Kind: Corrupt})
	})
	t.Run("corrupt output", func(t *testing.T) {
		r := mustRecord(t, s, testKey(8), "five")
		d := r.Outputs[0].Digest
		if err := os.WriteFile(s.entryPath(blobsDir, d), encodeBlob([]byte("5ive")), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Bytes(d); !errors.As(err, new(*CorruptError)) {
			t.Fatalf("got %v", err)
		}
		check(t, r.Key, Miss{Reason: "found corrupt and removed on 2026-11-20", Kind: Corrupt})
		mustRecord(t, s, testKey(8), "five")
		if _, miss := s.Lookup(r.Key); miss != nil {
			t.Errorf("still a miss: %+v", miss)
		}
	})
}

func TestLookupTouchesHourly(t *testing.T) {
	clock := newClock()
	s := openAt(t, filepath.Join(t.TempDir(), "c"), Options{Clock: clock.Now})
	r := mustRecord(t, s, testKey(1), "x")
	start := clock.Now()
	mtime := func() time.Time {
		st, err := os.Stat(s.entryPath(recordsDir, r.Key))
		if err != nil {
			t.Fatal(err)
		}
		return st.ModTime()
	}
	clock.Advance(59 * time.Minute)
	s.Outputs(r.Key, 0)
	if !mtime().Equal(start) {
		t.Error("touched within the hour")
	}
	clock.Advance(time.Minute)
	s.Outputs(r.Key, 0)
	if !mtime().Equal(clock.Now()) {
		t.Error("not touched after an hour")
	}
}

func FuzzDecodeRecord(f *testing.F) {
	now := time.Unix(1_700_000_000, 0)
	r := &Record{Key: testKey(1), Stage: "s", Outputs: []RecordOutput{{Name: "a", Path: "out/a", Digest: Digest{1}, Size: 3, Mode: 0o644}},
		Components: []Component{{Name: "c", Digest: Digest{2}, Value: "v"}}}
	b, err := encodeRecord(r, now)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)-3])
	f.Add([]byte(recordMagic))
	foreign, err := encodeForeign(b, []byte("signature"), &Origin{Way: Imported, From: "a.cache", At: now, Signer: &Signer{"ci", "SHA256:x"}}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(foreign)
	remote, err := encodeForeign(b, nil, &Origin{Way: Fetched, From: "grpcs://h:443", At: now}, []SizedDigest{{Digest{1}, 2}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(remote)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, in := range [][]byte{b, resum(b), resumForeign(b)} {
			r, err := decodeRecord(in)
			if err != nil {
				continue
			}
			if err := validateOutputs(r.Outputs); err != nil {
				t.Errorf("accepted a bad record: %v", err)
			}
			h, _, err := decodeRecordHeader(in)
			if err != nil {
				t.Fatal(err)
			}
			again, err := encodeRecord(r, h.written)
			if err == nil && r.Origin != nil {
				again, err = encodeForeign(again, nil, r.Origin, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			r2, err := decodeRecord(again)
			if err != nil {
				t.Fatalf("what was written cannot be read: %v", err)
			}
			if diff := cmp.Diff(r, r2); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// resumForeign does the same for a record that was made elsewhere.
func resumForeign(b []byte) []byte {
	if len(b) < foreignFixedSize || string(b[:4]) != foreignMagic {
		return b
	}
	js, sig := uint64(binary.LittleEndian.Uint32(b[4:])), uint64(binary.LittleEndian.Uint32(b[8:]))
	end := foreignFixedSize + js + sig
	if end > uint64(len(b)) {
		return b
	}
	sum := sha256.Sum256(b[foreignFixedSize:end])
	return append(append(append(append([]byte(nil), b[:12]...), sum[:]...), b[foreignFixedSize:end]...), resum(b[end:])...)
}

// resum corrects the checksums of a mutated record, so that fuzzing passes them.
func resum(b []byte) []byte {
	if len(b) < recordFixedSize+recordSumSize {
		return b
	}
	b = append([]byte(nil), b...)
	le := binary.LittleEndian
	head := int(le.Uint32(b[4:]))
	if head < recordFixedSize+recordSumSize || head > len(b) {
		return b
	}
	le.PutUint32(b[8:], uint32(len(b)-head))
	body := sha256.Sum256(b[head:])
	copy(b[12:], body[:])
	sum := sha256.Sum256(b[:head-recordSumSize])
	copy(b[head-recordSumSize:], sum[:])
	return b
}
