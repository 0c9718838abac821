package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// hostileArchives imports archives that are not what cache export wrote. Each is refused,
// or gives the right bytes.
func hostileArchives(ctx context.Context, a *attack) error {
	file := filepath.Join(a.dir, "archive")
	if r := a.run(ctx, "cache", "export", file); r.err != nil {
		return fmt.Errorf("exporting the cache: %w\n%s", r.err, r.output)
	}

	sound, err := os.ReadFile(file)
	if err != nil {
		return err
	}

	for ; a.done < a.trials && ctx.Err() == nil; a.done++ {
		if err := a.empty(); err != nil {
			return err
		}

		content, how := a.forge(sound)
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}

		r := a.run(ctx, append([]string{"cache", "import", file}, a.trust...)...)
		a.peak = max(a.peak, r.peak)
		if r.hung {
			a.hangs++
			a.note("%s: the import hangs", how)
		}

		if size := sizeOf(a.store); size > 10*int64(len(sound))+(1<<20) {
			a.wrong++
			a.note("%s: the cache grew to %d bytes", how, size)
		}

		if err := a.recovers(ctx, how); err != nil {
			return err
		}
	}

	return ctx.Err()
}

// forge damages an archive, or builds another from its parts.
func (a *attack) forge(sound []byte) (content []byte, how string) {
	if a.random.IntN(2) == 0 {
		return a.spoil(sound)
	}

	plain, err := zstd.NewReader(bytes.NewReader(sound))
	if err != nil {
		return a.spoil(sound)
	}

	defer plain.Close()
	reader, headers, parts := tar.NewReader(plain), []*tar.Header{}, [][]byte{}
	for {
		h, err := reader.Next()
		if err != nil {
			break
		}

		b, err := io.ReadAll(reader)
		if err != nil {
			break
		}

		headers, parts = append(headers, h), append(parts, b)
	}

	if len(headers) < 2 {
		return a.spoil(sound)
	}

	at, other := 1+a.random.IntN(len(headers)-1), a.random.IntN(len(headers))
	switch a.random.IntN(6) {
	case 0:
		parts[at], how = parts[other], "the content of another entry"
	case 1:
		headers[at].Name, how = headers[other].Name, "the name of another entry"
	case 2:
		names := []string{"../../../escaped", "/tmp/escaped", "blobs/../../../escaped", "records/" +
			string(make([]byte, 300)), ""}
		headers[at].Name, how = names[a.random.IntN(len(names))], "a name that leads out of the cache"
	case 3:
		types := []byte{tar.TypeSymlink, tar.TypeLink, tar.TypeChar, tar.TypeFifo, tar.TypeDir}
		headers[at].Typeflag, headers[at].Linkname, how = types[a.random.IntN(len(types))], "/etc/passwd",
			"an entry that is no file"
		parts[at] = nil
	case 4:
		parts[at], how = bytes.Repeat([]byte{0}, 1+a.random.IntN(1<<20)), "an entry of zeros"
	case 5:
		parts[at], _ = a.spoil(append(parts[at], 0))
		how = "a damaged entry in a sound archive"
	}

	var b bytes.Buffer
	packed, err := zstd.NewWriter(&b)
	if err != nil {
		return a.spoil(sound)
	}

	w := tar.NewWriter(packed)
	for i, h := range headers {
		h.Size = int64(len(parts[i]))
		if w.WriteHeader(h) == nil {
			_, _ = w.Write(parts[i])
		}
	}

	// An archive that cannot be closed is one more hostile archive.
	_, _ = w.Close(), packed.Close()
	return b.Bytes(), how
}

// sizeOf is the size of all files of a directory.
func sizeOf(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what cannot be read has no size
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}
