package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/cache"
)

// programEvery is how often a damaged cache is also given to the program. Most trials
// only read it through the package, which takes a hundredth of the time.
const programEvery = 200

// copied is the content of the files of a directory, by path.
type copied map[string][]byte

func copyOf(dir string) (copied, error) {
	files := copied{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	return files, err
}

// restore makes a directory equal to its copy.
func (c copied) restore(dir string) error {
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}

		want, ok := c[path]
		if !ok {
			return os.Remove(path)
		}

		seen[path] = true
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, want) {
			return nil
		}

		return rewrite(path, want)
	})
	for path, want := range c {
		if !seen[path] {
			err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), rewrite(path, want))
		}
	}

	return err
}

// rewrite replaces a file, which may be read-only.
func rewrite(path string, content []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// damageCache damages one file of the cache at a time. A reader must get the right bytes
// or an error.
func damageCache(ctx context.Context, a *attack) error {
	pristine, err := copyOf(a.store)
	if err != nil {
		return err
	}

	var files []string
	for path, content := range pristine {
		if len(content) > 0 {
			files = append(files, path)
		}
	}

	slices.Sort(files)
	right, err := a.readAll()
	if err != nil {
		return err
	}

	for ; a.done < a.trials && ctx.Err() == nil; a.done++ {
		path := files[a.random.IntN(len(files))]
		damaged, how := a.spoil(pristine[path])
		if err := errors.Join(rewrite(path, damaged), a.own()); err != nil {
			return err
		}

		after := how + " in " + strings.TrimPrefix(path, a.store)
		if a.done%programEvery == 0 && !strings.HasSuffix(path, "VERSION") {
			if err := os.RemoveAll(filepath.Join(a.work, "result")); err != nil {
				return err
			}

			a.runsWell(ctx, after)
		} else if got, err := a.readAll(); err == nil {
			for name, content := range got {
				if content != right[name] {
					a.wrong++
					a.note("%s: %s has other bytes", after, name)
				}
			}
		}

		if err := errors.Join(pristine.restore(a.store), a.own()); err != nil {
			return err
		}
	}

	return ctx.Err()
}

// spoil flips a bit, cuts the end off, or zeroes a part.
func (a *attack) spoil(content []byte) (damaged []byte, how string) {
	damaged = bytes.Clone(content)
	at := a.random.IntN(len(damaged))
	switch a.random.IntN(4) {
	case 0:
		return damaged[:at], fmt.Sprintf("a cut at byte %d", at)
	case 1:
		end := min(len(damaged), at+1+a.random.IntN(512))
		clear(damaged[at:end])
		return damaged, fmt.Sprintf("zeros from byte %d to %d", at, end)
	}

	bit := a.random.IntN(8)
	damaged[at] ^= 1 << bit
	return damaged, fmt.Sprintf("bit %d of byte %d flipped", bit, at)
}

// readAll reads every result in the cache, by key and name. It leaves out what is damaged.
func (s *subject) readAll() (map[string]string, error) {
	store, err := cache.Open(s.store, cache.Options{})
	if err != nil {
		return nil, err
	}

	defer store.Close()
	var keys []cache.Key
	err = store.List(func(r cache.RecordInfo) error {
		keys = append(keys, r.Key)
		return nil
	})
	if err != nil {
		return nil, err
	}

	found := map[string]string{}
	for _, k := range keys {
		record, miss := store.Lookup(k)
		if miss != nil {
			continue
		}

		for _, o := range record.Outputs {
			name := k.String() + " " + o.Name
			if !o.Dir {
				if b, err := store.Bytes(o.Digest); err == nil {
					found[name] = string(b)
				}

				continue
			}

			entries, err := store.Tree(o.Digest)
			if err != nil {
				continue
			}

			for _, e := range entries {
				var b strings.Builder
				if err := store.CopyMember(o.Digest, e.Digest, &b); err == nil {
					found[name+" "+e.Path] = b.String()
				}
			}
		}
	}

	return found, nil
}
