package cache

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// otherStore is a Source that has what another store has.
type otherStore struct {
	*Store
	fetched []SizedDigest
	change  func([]byte) []byte // may be nil
	lacks   Digest
}

func (o *otherStore) Fetch(blobs []SizedDigest, put func(SizedDigest, io.Reader) error) {
	for _, b := range blobs {
		content, err := o.Bytes(b.Digest)
		if err != nil || b.Digest == o.lacks {
			continue
		}
		if o.change != nil {
			content = o.change(content)
		}
		if put(b, bytes.NewReader(content)) == nil {
			o.fetched = append(o.fetched, b)
		}
	}
}

// adoptRemote makes a result with a large file and a directory in one store, and adopts it in another
// that has that store as its source.
func adoptRemote(t *testing.T) (here *Store, source *otherStore, r *Record) {
	t.Helper()
	there := newStore(t)
	dir := t.TempDir()
	for _, name := range []string{"x", "y"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, _, err := there.PutTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	put := func(content string) Digest {
		d, err := there.PutBytes([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	large := strings.Repeat("large", smallFile/4)
	err = there.PutRecord(&Record{
		Key: testKey(1), Stage: "stage", Started: time.Unix(1e9, 0), Stdout: put("log"), Stderr: put(""),
		Outputs: []RecordOutput{
			{Name: "large", Path: "out/large", Digest: put(large), Size: int64(len(large)), Mode: 0o644},
			{Name: "dir", Path: "out/dir", Digest: tree, Size: 2, Mode: fs.ModeDir | 0o755, Dir: true},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	record, _, err := there.RecordFile(testKey(1))
	if err != nil {
		t.Fatal(err)
	}
	if r, err = DecodeOwn(record, testKey(1)); err != nil {
		t.Fatal(err)
	}
	needs, _, err := there.Needs(r)
	if err != nil || len(needs) != 5 { // the log, the file, the manifest and two members
		t.Fatalf("%v %v", needs, err)
	}
	var remote []SizedDigest
	for _, b := range needs {
		if b.Digest != digestOf("x") && b.Digest != digestOf("y") {
			remote = append(remote, b)
		}
	}
	here, source = newStore(t), &otherStore{Store: there}
	here.SetSource("there", source)
	added, why, err := here.Adopt(testKey(1), record, []byte("signature"), &Origin{Way: Fetched, From: "there", At: time.Unix(2e9, 0), Signer: &Signer{"ci", "SHA256:x"}}, remote)
	if !added || why != "" || err != nil {
		t.Fatalf("%v %q %v", added, why, err)
	}
	return here, source, r
}

// Content is fetched when it is read, verified, and fetched once.
func TestRemoteContent(t *testing.T) {
	s, source, r := adoptRemote(t)
	if _, miss := s.Outputs(testKey(1), 0); miss != nil || len(source.fetched) > 0 {
		t.Fatalf("%+v, %d fetched", miss, len(source.fetched))
	}
	to := filepath.Join(t.TempDir(), "large")
	if err := s.Materialize(r.Outputs[0].Digest, to, 0o644); err != nil || len(source.fetched) != 1 {
		t.Fatalf("%v, %d fetched", err, len(source.fetched))
	}
	for range 2 {
		dir := filepath.Join(t.TempDir(), "dir")
		if err := s.MaterializeTree(r.Outputs[1].Digest, dir); err != nil || len(source.fetched) != 4 {
			t.Fatalf("%v, %d fetched", err, len(source.fetched))
		}
		if b, err := os.ReadFile(filepath.Join(dir, "x")); err != nil || string(b) != "x" {
			t.Errorf("%q %v", b, err)
		}
	}
	// What nobody names is not asked for.
	if _, err := s.Bytes(digestOf("unknown")); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

// A source that lies or lacks something makes a miss, and nothing false is stored.
func TestRemoteContentFalse(t *testing.T) {
	for name, change := range map[string]func([]byte) []byte{
		"other": func(b []byte) []byte { b = bytes.Clone(b); b[0] ^= 1; return b },
		"short": func(b []byte) []byte { return b[:len(b)-1] },
		"long":  func(b []byte) []byte { return append(bytes.Clone(b), 'x') },
		"empty": func([]byte) []byte { return nil },
	} {
		s, source, r := adoptRemote(t)
		source.change = change
		for i := range r.Outputs {
			if _, miss := s.Lookup(testKey(1)); miss != nil && i == 0 {
				t.Fatal(miss.Reason)
			}
			if _, err := s.Bytes(r.Outputs[i].Digest); !Damaged(err) {
				t.Errorf("%s: %s: %v", name, r.Outputs[i].Name, err)
			}
		}
		if _, miss := s.Lookup(testKey(1)); miss == nil || !strings.Contains(miss.Reason, "could not be fetched from there") {
			t.Errorf("%s: %+v", name, miss)
		}
		if st, err := s.Stats(); err != nil || st.Blobs != 0 || len(source.fetched) > 0 {
			t.Errorf("%s: %+v %v", name, st, err)
		}
		// A result that is made here takes its place.
		mustRecord(t, s, testKey(1), "mine")
		if r, miss := s.Lookup(testKey(1)); miss != nil || r.Origin != nil {
			t.Errorf("%s: %+v", name, miss)
		}
	}
}

// A member of a directory is missing at the source.
func TestRemoteContentMember(t *testing.T) {
	s, source, r := adoptRemote(t)
	source.lacks = digestOf("y")
	if _, miss := s.Lookup(testKey(1)); miss != nil {
		t.Fatal(miss.Reason)
	}
	if err := s.MaterializeTree(r.Outputs[1].Digest, filepath.Join(t.TempDir(), "dir")); !Damaged(err) {
		t.Error(err)
	}
	if _, miss := s.Lookup(testKey(1)); miss == nil {
		t.Error("still a hit")
	}
}

// Another process needs the same source, and may write to the store.
func TestRemoteContentElsewhere(t *testing.T) {
	s, source, _ := adoptRemote(t)
	other := openAt(t, s.Dir(), Options{})
	if _, miss := other.Lookup(testKey(1)); miss == nil || !strings.Contains(miss.Reason, "is at there, which is not used") {
		t.Errorf("without a source: %+v", miss)
	}
	other.SetSource("another", source)
	if _, miss := other.Lookup(testKey(1)); miss == nil {
		t.Error("a hit with another source")
	}
	reader := openAt(t, s.Dir(), Options{ReadOnly: true})
	reader.SetSource("there", source)
	if _, miss := reader.Lookup(testKey(1)); miss == nil {
		t.Error("a hit in a store that cannot keep what is fetched")
	}
	if added, why, err := reader.Adopt(testKey(2), nil, nil, nil, nil); added || why == "" || err != nil {
		t.Errorf("%v %q %v", added, why, err)
	}
	if v, err := other.Verify(t.Context(), VerifyOptions{}); err != nil || len(v.Problems) > 0 || v.Records != 1 {
		t.Errorf("%+v %v", v, err)
	}
	if tr, err := other.Export(t.Context(), io.Discard, ExportOptions{}); err != nil || tr.Records != 0 || len(tr.Skipped) != 1 {
		t.Errorf("%+v %v", tr, err)
	}
	if g, err := other.GC(t.Context(), GCOptions{MaxBytes: 1 << 30}); err != nil || g.Records != 0 || g.KeptRecords != 1 {
		t.Errorf("%+v %v", g, err)
	}
	if g, err := other.GC(t.Context(), GCOptions{MaxBytes: 1}); err != nil || g.Records != 1 {
		t.Errorf("%+v %v", g, err)
	}
	if _, miss := s.Lookup(testKey(1)); miss == nil || miss.Kind != Evicted {
		t.Errorf("%+v", miss)
	}
}

// refusesDamage flips each bit of the file of a record, and cuts it at each byte.
func refusesDamage(t *testing.T, file []byte) {
	t.Helper()
	for i := range file {
		if _, err := decodeRecord(file[:i]); err == nil {
			t.Errorf("cut at %d of %d: no error", i, len(file))
		}
		for bit := range 8 {
			damaged := bytes.Clone(file)
			damaged[i] ^= 1 << bit
			if r, err := decodeRecord(damaged); err == nil {
				t.Fatalf("byte %d, bit %d: %+v", i, bit, r)
			}
		}
	}
}

// TestRemoteContentDamaged damages the file of a record whose content is remote.
func TestRemoteContentDamaged(t *testing.T) {
	s, _, _ := adoptRemote(t)
	file, err := os.ReadFile(s.entryPath(recordsDir, testKey(1)))
	if err != nil {
		t.Fatal(err)
	}
	if h, _, err := decodeRecordHeader(file); err != nil || len(h.remote) != 3 {
		t.Fatalf("%v %v", h.remote, err)
	}
	refusesDamage(t, file)
}
