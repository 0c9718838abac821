package external

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/data/convert"
)

// States of a source on this machine.
const (
	Absent   = "absent"   // its directory does not exist, or has none of its files
	Verified = "verified" // it has the expected digest
	Unpinned = "unpinned" // it is there, and no digest is expected
	Changed  = "changed"  // it has another digest
)

// The limits of what is read.
const (
	maxFiles = 20_000
	maxBytes = 512 << 20
)

// Found is a source on this machine.
type Found struct {
	State  string
	Path   string
	Digest string
	Files  []convert.File
}

// Find reads the files of a source from the directory, or the file, of its name
// in dir. Its content need not have the expected digest; State says so.
func (s *Source) Find(ctx context.Context, dir string) (Found, error) {
	found := Found{State: Absent, Path: filepath.Join(dir, s.Name)}
	root, err := filepath.EvalSymlinks(found.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}

	if err != nil {
		return found, err
	}

	names, err := s.names(root)
	if err != nil {
		return found, err
	}

	left := int64(maxBytes)
	for _, name := range names {
		data, err := readlimit.File(ctx, filepath.Join(root, filepath.FromSlash(name)), left)
		if errors.As(err, new(*readlimit.TooLargeError)) {
			return found, fmt.Errorf("%s: its files have more than %d MiB; name fewer of them with files", s.Name,
				maxBytes>>20)
		}

		if err != nil {
			return found, err
		}

		left -= int64(len(data))
		found.Files = append(found.Files, convert.File{Name: fileName(name, root), Data: data})
	}

	if len(found.Files) == 0 {
		return found, nil
	}

	switch found.Digest = Digest(found.Files); s.SHA256 {
	case "":
		found.State = Unpinned
	case found.Digest:
		found.State = Verified
	default:
		found.State = Changed
	}

	return found, nil
}

// fileName is the name of a file, which is that of root if the source is one file.
func fileName(name, root string) string {
	if name == "." {
		return filepath.Base(root)
	}
	return name
}

// names lists the files of the source below root, sorted. A source that is one
// file has the name ".".
func (s *Source) names(root string) ([]string, error) {
	format := s.format()
	var names []string
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		if d.IsDir() && strings.HasPrefix(d.Name(), ".git") {
			return filepath.SkipDir
		}

		relative, err := filepath.Rel(root, at)
		if err != nil {
			return err
		}

		name := filepath.ToSlash(relative)
		if d.Type().IsRegular() && (name == "." || format.Matches(name)) {
			if names = append(names, name); len(names) > maxFiles {
				return fmt.Errorf("%s: it has more than %d files; name fewer of them with files", s.Name, maxFiles)
			}
		}

		return nil
	})
	slices.Sort(names)
	return names, err
}

// Digest is the digest of files: that of the only file, or else that of what
// sha256sum prints for them, sorted by path.
func Digest(files []convert.File) string {
	if len(files) == 1 {
		return hexSum(files[0].Data)
	}
	var lines strings.Builder
	for _, f := range files {
		fmt.Fprintf(&lines, "%s  %s\n", hexSum(f.Data), f.Name)
	}
	return hexSum([]byte(lines.String()))
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

const fetchTimeout = 10 * time.Minute

// downloads maps the path of each file of a source, below its directory, to its
// address. ok is false if the url is a directory whose files are not known.
func (s *Source) downloads() (addresses map[string]string, ok bool) {
	if !strings.HasSuffix(s.URL, "/") {
		name, _, _ := strings.Cut(s.URL, "?")
		return map[string]string{path.Base(name): s.URL}, true
	}

	addresses = map[string]string{}
	for _, name := range s.Files {
		if strings.ContainsAny(name, `*?[\`) || path.Clean(name) != name || !filepath.IsLocal(name) {
			return nil, false
		}

		addresses[name] = s.URL + (&url.URL{Path: name}).EscapedPath()
	}

	return addresses, len(addresses) > 0
}

// Fetch downloads the files of a source that has a url into dir, and keeps them
// only if they have the expected digest.
func (s *Source) Fetch(ctx context.Context, client *http.Client, dir string) error {
	addresses, ok := s.downloads()
	if s.URL == "" || !ok {
		return fmt.Errorf("%s has no url of its files; get %s yourself, and put it or a link to it at %s", s.Name,
			s.Address, filepath.Join(dir, s.Name))
	}

	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	var files []convert.File
	left := int64(maxBytes)
	for _, name := range slices.Sorted(maps.Keys(addresses)) {
		data, err := s.download(ctx, client, addresses[name], filepath.Join(dir, s.Name), left)
		if err != nil {
			return fmt.Errorf("fetch %s: %w", s.Name, err)
		}

		left -= int64(len(data))
		files = append(files, convert.File{Name: name, Data: data})
	}

	if sum := Digest(files); sum != s.SHA256 {
		return fmt.Errorf("fetch %s: what was downloaded has the SHA-256 %s and not %s, so it was not kept; check "+
			"whether the project has changed it", s.Name, sum, s.SHA256)
	}

	for _, f := range files {
		if err := keep(filepath.Join(dir, s.Name, filepath.FromSlash(f.Name)), f.Data); err != nil {
			return err
		}
	}

	return nil
}

// download returns what is at an address, at most limit bytes. place is named as
// where a user can put it.
func (s *Source) download(ctx context.Context, client *http.Client, address, place string, limit int64) ([]byte,
	error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}

	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%w; check the network, or get %s yourself, and put it at %s", err, s.Address, place)
	}

	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered with status %d; get %s yourself, and put it at %s", address,
			response.StatusCode, s.Address, place)
	}

	return io.ReadAll(readlimit.Reader(response.Body, address, limit))
}

// keep writes a file, and the directories above it.
func keep(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}

	f, err := atomicfile.Create(file, 0o644)
	if err != nil {
		return err
	}

	defer f.Cleanup()
	if _, err := f.Write(data); err != nil {
		return err
	}

	return f.Commit()
}
