package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hiddeco/sshsig"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/crypto/ssh"
)

// forgedResults imports signed archives in which something is false: outputs, keys or
// signatures. Each is refused as a whole. With --trust the same archives must do no harm
// where this machine has made the results.
func forgedResults(ctx context.Context, a *attack) error {
	file, allowed := filepath.Join(a.dir, "archive"), filepath.Join(a.dir, "allowed")
	_, mallory, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}

	if err := a.makeKey(filepath.Join(a.dir, "key"), allowed); err != nil {
		return err
	}

	if r := a.run(ctx, "cache", "export", file, "--sign", filepath.Join(a.dir, "key")); r.err != nil {
		return fmt.Errorf("exporting the cache: %w\n%s", r.err, r.output)
	}

	f := forger{attack: a}
	if f.signer, err = ssh.NewSignerFromKey(mallory); err != nil {
		return err
	}

	if err := f.read(file); err != nil {
		return err
	}

	for ; a.done < a.trials && ctx.Err() == nil; a.done++ {
		content, how, err := f.forge()
		if err != nil {
			return err
		}

		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}

		// Where the results are already, from the trial before, a forgery is taken on trust.
		if r := a.run(ctx, "cache", "import", file, "--trust"); r.hung {
			a.hangs++
			a.note("%s: the import hangs", how)
		}

		a.runsWell(ctx, how+" over own results")
		if err := a.empty(); err != nil {
			return err
		}

		r := a.run(ctx, "cache", "import", file, "--allowed-signers", allowed)
		a.peak = max(a.peak, r.peak)
		if r.err == nil || !strings.Contains(a.run(ctx, "cache", "stats").output, "results    0\n") {
			a.wrong++
			a.note("%s: it was imported: %s", how, r.output)
		}

		if err := a.recovers(ctx, how); err != nil {
			return err
		}
	}

	return ctx.Err()
}

// makeKey writes a private key, and a list of allowed signers with its public key.
func (a *attack) makeKey(file, allowed string) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}

	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		return err
	}

	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return err
	}

	return errors.Join(
		os.WriteFile(file, pem.EncodeToMemory(block), 0o600),
		os.WriteFile(allowed, append([]byte("ci "), ssh.MarshalAuthorizedKey(key)...), 0o644),
		a.own())
}

// forger has the parts of a signed archive.
type forger struct {
	*attack
	names                []string // in their order
	parts, changed       map[string][]byte
	blobs, records, sigs []string
	signer               ssh.Signer // of a key that is not allowed
}

func (f *forger) read(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}

	zr, err := zstd.NewReader(bytes.NewReader(b))
	if err != nil {
		return err
	}

	defer zr.Close()
	f.parts = map[string][]byte{}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}

		if err != nil {
			return err
		}

		if f.parts[h.Name], err = io.ReadAll(tr); err != nil {
			return err
		}

		switch folder, _, _ := strings.Cut(h.Name, "/"); folder {
		case "blobs": // before all records, so that none lacks a blob
			f.blobs = append(f.blobs, h.Name)
		case "records":
			f.records = append(f.records, h.Name)
		case "signatures":
			f.sigs = append(f.sigs, h.Name)
		}
	}

	f.names = append([]string{"VERSION"}, f.blobs...)
	for i, record := range f.records {
		f.names = append(f.names, f.sigs[i], record)
	}

	return nil
}

// forge returns an archive in which one thing is false.
func (f *forger) forge() (content []byte, how string, err error) {
	f.changed = map[string][]byte{}
	at := f.random.IntN(len(f.records))
	next := (at + 1 + f.random.IntN(len(f.records)-1)) % len(f.records)
	record, sig, other, otherSig := f.records[at], f.sigs[at], f.records[next], f.sigs[next]
	original := f.parts[record]
	switch f.random.IntN(10) {
	case 0:
		how = "the right key with a wrong output"
		f.changed[record] = withOutput(original, strings.TrimPrefix(f.blobs[f.random.IntN(len(f.blobs))], "blobs/"))
	case 1:
		how = "a field that differs"
		f.changed[record] = f.withByte(original)
	case 2:
		how = "swapped signatures"
		f.changed[sig], f.changed[otherSig] = f.parts[otherSig], f.parts[sig]
	case 3:
		how = "the result of another key with its signature"
		f.changed[record], f.changed[sig] = f.parts[other], f.parts[otherSig]
	case 4:
		how = "the result of another key"
		f.changed[record] = f.parts[other]
	case 5:
		how = "an unknown key"
		f.changed[record] = withOutput(original, strings.TrimPrefix(f.blobs[0], "blobs/"))
		f.changed[sig], err = f.sign(f.changed[record], "touchstone")
	case 6:
		how = "another namespace"
		f.changed[sig], err = f.sign(original, "git")
	case 7:
		how = "no signature"
		f.changed[sig] = nil
	case 8:
		how = "a signature that is cut off or has another byte"
		s := bytes.Clone(f.parts[sig])
		i := 40 + f.random.IntN(len(s)-90) // between the lines at the start and the end
		if s[i] = 'A'; f.parts[sig][i] == 'A' {
			s[i] = 'B'
		}

		f.changed[sig] = s[:max(i+1, f.random.IntN(2)*len(s))]
	case 9:
		how = "an archive that is cut off"
		content, err = f.pack()
		if err == nil {
			content = content[:f.random.IntN(len(content)-20)]
		}

		return content, how, err
	}

	if err != nil {
		return nil, how, err
	}

	for name, b := range f.changed {
		if !bytes.Equal(b, f.parts[name]) {
			content, err = f.pack()
			return content, how, err
		}
	}

	return f.forge() // nothing was changed
}

func (f *forger) sign(record []byte, namespace string) ([]byte, error) {
	s, err := sshsig.Sign(bytes.NewReader(record), f.signer, sshsig.HashSHA512, namespace)
	if err != nil {
		return nil, err
	}
	return sshsig.Armor(s), nil
}

// The places in a record's file are those of cache/recordcodec.go.
const (
	headLength = 4 // its length is there
	fields     = 44
	firstName  = fields + 32 + 3*8 + 2*32 + 2
)

// withOutput returns a record whose first output has another digest, with the checksum that
// goes with it.
func withOutput(record []byte, digest string) []byte {
	b := bytes.Clone(record)
	le := binary.LittleEndian
	at := firstName
	for range 2 { // its name and its path
		at += 2 + int(le.Uint16(b[at:]))
	}
	_, _ = hex.Decode(b[at:], []byte(digest)) // the name of a blob
	return withChecksum(b)
}

// withByte returns a record with another byte in its fields after the key.
func (f *forger) withByte(record []byte) []byte {
	b := bytes.Clone(record)
	end := int(binary.LittleEndian.Uint32(b[headLength:])) - sha256.Size
	b[fields+32+f.random.IntN(end-fields-32)] ^= byte(1 + f.random.IntN(255))
	return withChecksum(b)
}

func withChecksum(b []byte) []byte {
	end := binary.LittleEndian.Uint32(b[headLength:]) - sha256.Size
	sum := sha256.Sum256(b[:end])
	copy(b[end:], sum[:])
	return b
}

func (f *forger) pack() ([]byte, error) {
	var b bytes.Buffer
	zw, err := zstd.NewWriter(&b)
	if err != nil {
		return nil, err
	}

	w := tar.NewWriter(zw)
	for _, name := range f.names {
		content := f.parts[name]
		if changed, ok := f.changed[name]; ok {
			content = changed
		}

		if content == nil {
			continue
		}

		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)),
			Mode: 0o600}); err != nil {
			return nil, err
		}

		if _, err := w.Write(content); err != nil {
			return nil, err
		}
	}

	err = errors.Join(w.Close(), zw.Close())
	return b.Bytes(), err
}
