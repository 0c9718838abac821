package remote

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/touchstone-eval/touchstone/cache"
)

// A Blob is content that can be uploaded.
type Blob struct {
	cache.SizedDigest
	open func() (io.ReadCloser, error)
}

// BytesBlob returns content that is in memory.
func BytesBlob(content []byte) Blob { return messageOf(content).blob() }

func (m message) blob() Blob {
	return Blob{m.SizedDigest, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(m.content)), nil }}
}

// FileBlob returns the content of a file. The file must not change until it was uploaded.
func FileBlob(file string) (Blob, error) {
	f, err := os.Open(file)
	if err != nil {
		return Blob{}, err
	}

	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return Blob{}, err
	}

	return Blob{
		cache.SizedDigest{Digest: cache.Digest(h.Sum(nil)), Size: n},
		func() (io.ReadCloser, error) { return os.Open(file) },
	}, nil
}

// A Member is a member of a directory: a file, a directory or a symbolic link.
type Member struct {
	Name       string
	Content    cache.SizedDigest // of a directory, that of Directory
	Dir        bool
	Executable bool
	Symlink    string // the target, or empty
}

// Directory returns the message that describes a directory.
func Directory(members ...Member) Blob {
	d := &repb.Directory{}
	for _, m := range slices.SortedFunc(slices.Values(members),
		func(a, b Member) int { return strings.Compare(a.Name, b.Name) }) {
		switch {
		case m.Symlink != "":
			d.Symlinks = append(d.Symlinks, &repb.SymlinkNode{Name: m.Name, Target: m.Symlink})
		case m.Dir:
			d.Directories = append(d.Directories, &repb.DirectoryNode{Name: m.Name, Digest: digest(m.Content)})
		default:
			d.Files = append(d.Files,
				&repb.FileNode{Name: m.Name, Digest: digest(m.Content), IsExecutable: m.Executable})
		}
	}

	return encode(d).blob()
}

// sendable returns an error for a name that the protocol has no form for.
func sendable(name string) error {
	if utf8.ValidString(name) {
		return nil
	}
	return fmt.Errorf("the name %q is not UTF-8 text, and a server takes no others; rename the file, or run on this "+
		"machine", name)
}

// ReadDirectory describes a directory of this machine. all is everything that must be uploaded. It ends
// with root, which describes the directory itself.
func ReadDirectory(dir string) (root Blob, all []Blob, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Blob{}, nil, err
	}

	members := make([]Member, 0, len(entries))
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		m := Member{Name: e.Name()}
		if err := sendable(m.Name); err != nil {
			return Blob{}, nil, err
		}

		switch t := e.Type(); {
		case t.IsDir():
			sub, below, err := ReadDirectory(file)
			if err != nil {
				return Blob{}, nil, err
			}

			all = append(all, below...)
			m.Dir, m.Content = true, sub.SizedDigest
		case t&os.ModeSymlink != 0:
			if m.Symlink, err = os.Readlink(file); err != nil {
				return Blob{}, nil, err
			}

			if err := sendable(m.Symlink); err != nil {
				return Blob{}, nil, err
			}
		case t.IsRegular():
			st, err := e.Info()
			if err != nil {
				return Blob{}, nil, err
			}

			b, err := FileBlob(file)
			if err != nil {
				return Blob{}, nil, err
			}

			m.Content, m.Executable = b.SizedDigest, st.Mode()&0o111 != 0
			all = append(all, b)
		default:
			return Blob{}, nil, fmt.Errorf("%s is neither a file nor a directory nor a symbolic link", file)
		}

		members = append(members, m)
	}

	root = Directory(members...)
	return root, append(all, root), nil
}
