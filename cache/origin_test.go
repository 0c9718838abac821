package cache

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// vouch signs with a word, as far as this package is concerned: a signature is the word and the
// digest of the record.
func vouch(word string) func([]byte) ([]byte, error) {
	return func(record []byte) ([]byte, error) {
		d := digestOf(string(record))
		return []byte(word + " " + d.String()), nil
	}
}

// accept verifies such signatures.
func accept(word string) ImportOptions {
	return ImportOptions{From: "a.cache", Verify: func(record, signature []byte) (Signer, error) {
		if want, _ := vouch(word)(record); !bytes.Equal(signature, want) {
			return Signer{}, errors.New("not by " + word)
		}
		return Signer{Name: word, Key: "key of " + word}, nil
	}}
}

func signed(t *testing.T, s *Store, word string) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := s.Export(t.Context(), &b, ExportOptions{Sign: vouch(word)}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestImportRefusesUnsignedResults(t *testing.T) {
	a, b := newStore(t), newStore(t)
	mustRecord(t, a, testKey(1), "one")
	mustRecord(t, a, testKey(2), "two")
	archive := signed(t, a, "anna")

	// Without a signature that counts, nothing changes, not even blobs.
	for name, in := range map[string][]byte{"unsigned": exported(t, a), "other": signed(t, a, "bert")} {
		_, err := b.Import(t.Context(), bytes.NewReader(in), accept("anna"))
		var refused *UnverifiedError
		if !errors.As(err, &refused) || refused.Records != 2 || refused.Unverified != 2 {
			t.Errorf("%s: %v", name, err)
		}
		if st, _ := b.Stats(); st.Records+st.Blobs != 0 {
			t.Errorf("%s: %+v", name, st)
		}
	}
	if _, err := b.Import(t.Context(), bytes.NewReader(archive[:len(archive)-9]), accept("anna")); err == nil {
		t.Error("an archive that is cut off was imported")
	}
	if tr, err := b.Import(t.Context(), &changing{r: bytes.NewReader(archive), other: bytes.NewReader(signed(t, a, "bert"))}, accept("anna")); err != nil || tr.Records != 0 || len(tr.Skipped) != 2 {
		t.Errorf("an archive that changed after it was verified: %+v, %v", tr, err)
	}
	if _, err := b.Import(t.Context(), bytes.NewBuffer(archive), accept("anna")); err == nil || !strings.Contains(err.Error(), "read twice") {
		t.Errorf("a stream: %v", err)
	}
	if st, _ := b.Stats(); st.Records+st.Blobs != 0 {
		t.Errorf("%+v", st)
	}
}

// changing is an archive that is another one when it is read again.
type changing struct {
	r, other *bytes.Reader
	sought   int
}

func (c *changing) Read(b []byte) (int, error) { return c.r.Read(b) }

func (c *changing) Seek(offset int64, whence int) (int64, error) {
	if c.sought++; c.sought > 1 {
		c.r = c.other
	}
	return c.r.Seek(offset, whence)
}

func TestImportOfSignedResults(t *testing.T) {
	a, b := newStore(t), newStore(t)
	mustRecord(t, a, testKey(1), "one")
	mustRecord(t, a, testKey(2), "two")
	archive := signed(t, a, "anna")
	tr, err := b.Import(t.Context(), bytes.NewReader(archive), accept("anna"))
	anna := Signer{"anna", "key of anna"}
	if err != nil || tr.Records != 2 || tr.Signed != 2 || !slices.Equal(tr.Signers, []Signer{anna}) || len(tr.Skipped) != 0 {
		t.Fatalf("%+v, %v", tr, err)
	}
	// Every way to read a record says where it comes from, and so does the index of a later process.
	wantOrigin := func(s *Store) {
		t.Helper()
		for i := range 2 {
			got, miss := s.Outputs(testKey(i+1), 0)
			if miss != nil || got.Origin == nil || *got.Origin.Signer != anna {
				t.Errorf("%+v, %+v", got, miss)
			}
			r, miss := s.Lookup(testKey(i + 1))
			if miss != nil || r.Origin.String() != got.Origin.String() {
				t.Errorf("%+v, %+v", r, miss)
			}
		}
	}
	wantOrigin(b)
	mustVerify(t, b)
	for range 3 {
		again := openAt(t, b.dir, Options{})
		again.IndexRecords("p")
		wantOrigin(again)
		again.Close()
	}
	// An export passes the signatures on, signed again or not.
	if !bytes.Equal(archive, exported(t, b)) || !bytes.Equal(archive, signed(t, b, "bert")) {
		t.Error("the archive of the copy differs")
	}
	// A trusted record without a signature is in no signed archive.
	c := newStore(t)
	if _, err := c.Import(t.Context(), bytes.NewReader(exported(t, a)), onTrust); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if tr, err := c.Export(t.Context(), &out, ExportOptions{Sign: vouch("anna")}); err != nil || tr.Records != 0 || len(tr.Skipped) != 2 {
		t.Errorf("%+v, %v", tr, err)
	}
	// A signature counts later, too. What was made here, or signed before, stays.
	if tr, err := c.Import(t.Context(), bytes.NewReader(archive), accept("anna")); err != nil || tr.Records != 2 {
		t.Errorf("%+v, %v", tr, err)
	}
	wantOrigin(c)
	for _, s := range []*Store{a, b, c} {
		if tr, err := s.Import(t.Context(), bytes.NewReader(archive), accept("anna")); err != nil || tr.Records != 0 || len(tr.Skipped) != 0 {
			t.Errorf("%+v, %v", tr, err)
		}
	}
	if r, _ := a.Lookup(testKey(1)); r.Origin != nil {
		t.Errorf("a result that was made here has the origin %v", r.Origin)
	}
}

func TestResultsOfThisMachineStay(t *testing.T) {
	a, b := newStore(t), newStore(t)
	mustRecord(t, a, testKey(1), "theirs")
	mine := mustRecord(t, b, testKey(1), "mine")
	archive := signed(t, a, "anna")
	refused := func(want string) {
		t.Helper()
		tr, err := b.Import(t.Context(), bytes.NewReader(archive), accept("anna"))
		if err != nil || tr.Records != 0 || len(tr.Skipped) != 1 || !strings.Contains(tr.Skipped[0].Reason, want) {
			t.Errorf("%+v, %v", tr, err)
		}
	}
	refused("differ from those that this machine made")
	// It stays without its output, too, and the same result from elsewhere makes it whole.
	if err := os.Remove(b.entryPath(blobsDir, mine.Outputs[0].Digest)); err != nil {
		t.Fatal(err)
	}
	refused("differ from those that this machine made")
	same := newStore(t)
	mustRecord(t, same, testKey(1), "mine")
	if tr, err := b.Import(t.Context(), bytes.NewReader(signed(t, same, "anna")), accept("anna")); err != nil || tr.Records != 0 || len(tr.Skipped) != 0 {
		t.Errorf("%+v, %v", tr, err)
	}
	if r, miss := b.Lookup(testKey(1)); miss != nil || r.Origin != nil {
		t.Errorf("%+v, %+v", r, miss)
	}
	// What was taken on trust gives way to what is signed, but not the reverse.
	other := newStore(t)
	mustRecord(t, other, testKey(1), "forged")
	c := newStore(t)
	for _, in := range []struct {
		archive []byte
		how     ImportOptions
		want    int
	}{{exported(t, other), onTrust, 1}, {archive, accept("anna"), 1}, {exported(t, other), onTrust, 0}} {
		if tr, err := c.Import(t.Context(), bytes.NewReader(in.archive), in.how); err != nil || tr.Records != in.want || len(tr.Skipped) != 1-in.want {
			t.Errorf("%+v, %v", tr, err)
		}
	}
	if r, miss := c.Lookup(testKey(1)); miss != nil || r.Origin.Signer == nil || r.Outputs[0].Digest != digestOf("theirs") {
		t.Errorf("%+v, %+v", r, miss)
	}
	// The key of a stage that is running.
	unlock, err := b.LockKey(t.Context(), testKey(1))
	if err != nil {
		t.Fatal(err)
	}
	refused("its stage is running here")
	unlock()
	// A result that is made here replaces one from elsewhere.
	c = newStore(t)
	if _, err := c.Import(t.Context(), bytes.NewReader(archive), accept("anna")); err != nil {
		t.Fatal(err)
	}
	mustRecord(t, c, testKey(1), "mine")
	if r, miss := c.Lookup(testKey(1)); miss != nil || r.Origin != nil || r.Outputs[0].Digest != mine.Outputs[0].Digest {
		t.Errorf("%+v, %+v", r, miss)
	}
}

// TestForeignRecordDamaged flips each bit of a foreign record's file, and cuts it at each byte. It
// never becomes a record that was made here, or one of another origin.
func TestForeignRecordDamaged(t *testing.T) {
	a, b := newStore(t), newStore(t)
	mustRecord(t, a, testKey(1), "one")
	if _, err := b.Import(t.Context(), bytes.NewReader(signed(t, a, "anna")), accept("anna")); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(b.entryPath(recordsDir, testKey(1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decodeRecord(file); err != nil {
		t.Fatal(err)
	}
	refusesDamage(t, file)
	// A record cannot bring its own origin.
	tr, err := newStore(t).Import(t.Context(), bytes.NewReader(pack(t, "touchstone cache 1\n",
		headers("blobs/"+digestOf("one").String(), "records/"+testKey(1).String()), [][]byte{encodeBlob([]byte("one")), file})), onTrust)
	if err != nil || tr.Records != 0 || len(tr.Skipped) != 1 || !strings.Contains(tr.Skipped[0].Reason, "contains an origin") {
		t.Errorf("%+v, %v", tr, err)
	}
}

func headers(names ...string) (list []tar.Header) {
	for _, name := range names {
		list = append(list, tar.Header{Name: name, Typeflag: tar.TypeReg})
	}
	return list
}
