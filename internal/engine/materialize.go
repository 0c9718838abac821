package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// materialize copies the declared inputs to box. Source files are copied and not
// linked, so that no stage can modify the source tree. The key was computed earlier,
// possibly much earlier if another run held the lock of the key. The copies are
// therefore compared with the key. If an input has changed, the stage fails, because
// its result must not be stored under the old key.
func (r *run) materialize(ctx context.Context, o *Outcome, box string, work *workDir) error {
	for i := range o.Instance.Inputs {
		input := &o.Instance.Inputs[i]
		members, err := r.members(input)
		if err != nil {
			return fmt.Errorf("input %s: %w", input.Name, err)
		}

		if digestMembers(input, members) != o.component(pipeline.InputPrefix+input.Name) {
			return fmt.Errorf("input %s%s changed after the stage's key was computed; run again", input.Name,
				sourceOf(input))
		}

		base := filepath.Join(box, filepath.FromSlash(input.Path))
		if input.Tree {
			if err := os.MkdirAll(base, 0o755); err != nil {
				return err
			}
		}

		for i, f := range input.Files {
			if err := ctx.Err(); err != nil {
				return err
			}

			if err := copySource(f, members[i], filepath.Join(base, filepath.FromSlash(f.Path))); err != nil {
				return fmt.Errorf("input %s: %w", input.Name, r.fullDisk(err))
			}
		}

		for _, u := range input.From {
			if err := ctx.Err(); err != nil {
				return err
			}

			if err := r.fromUpstream(ctx, u, filepath.Join(base, filepath.FromSlash(u.Path)), work); err != nil {
				return fmt.Errorf("input %s: %w", input.Name, r.fullDisk(err))
			}
		}

		if err := errors.Join(r.keepInput(input, members, base), r.keepList(input, members)); err != nil {
			return fmt.Errorf("input %s: %w", input.Name, err)
		}
	}

	return nil
}

// fullDisk adds the remedy to the error of writing a file of a stage, if the disk of the stages' directories is full.
func (r *run) fullDisk(err error) error {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return err
	}
	return fmt.Errorf("%w; free some space in %s, or name a directory on another disk with --work-dir", err, r.WorkDir)
}

// sourceOf returns the source file of an input for a message, or "" if the input is
// not a single file.
func sourceOf(input *pipeline.Input) string {
	if input.Tree || len(input.Files) != 1 {
		return ""
	}
	return " (" + input.Files[0].Label + ")"
}

// copySource copies a source file, whose content and mode must match the member.
func copySource(f pipeline.SourceFile, want member, to string) error {
	return cache.Unforked(want.kind.mode(), func() error { return writeSource(f, want, to) })
}

func writeSource(f pipeline.SourceFile, want member, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}

	src, err := cache.OpenRegular(f.Source)
	var other *cache.NotRegularError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s was removed during the run; run again", f.Label)
	case errors.As(err, &other):
		return becameOther(f, other)
	case err != nil:
		return fmt.Errorf("%s changed during the run: %w", f.Label, err)
	}

	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, want.kind.mode()&0o555)
	if err != nil {
		return err
	}

	size, err := sameKind(src, want.kind)
	if err != nil {
		dst.Close()
		return fmt.Errorf("%s changed during the run: %w; run again", f.Label, err)
	}

	h := sha256.New()
	// The limit only makes the buffer as small as the file.
	if _, err := io.Copy(dst, io.LimitReader(io.TeeReader(src, h), size+1)); err != nil {
		dst.Close()
		return err
	}

	if err := errors.Join(dst.Chmod(want.kind.mode()&0o555), dst.Close()); err != nil {
		return err
	}

	if got := cache.Digest(h.Sum(nil)); got != want.digest {
		return fmt.Errorf("%s changed during the run, and the run uses one version of each file; run again", f.Label)
	}

	return nil
}

// becameOther returns the error for a source file that was a regular file when the pipeline was planned.
func becameOther(f pipeline.SourceFile, other *cache.NotRegularError) error {
	return fmt.Errorf("%s changed during the run: it is %s now; run again", f.Label, other.Kind())
}

// sameKind returns the size of an open regular file, or an error that says what it is now, if it is not of the kind.
func sameKind(f *os.File, kind memberKind) (size int64, err error) {
	st, err := f.Stat()
	switch {
	case err != nil:
		return 0, err
	case fileKind(st.Mode()) == kind:
		return st.Size(), nil
	case kind == executable:
		return 0, errors.New("it is no longer executable")
	}
	return 0, errors.New("it is executable now")
}

// maxRepairs limits how often an upstream output is computed again for one input. Two
// is sufficient: the list of a directory may be damaged, and then the files in it.
const maxRepairs = 2

// fromUpstream copies an upstream output from the cache. If the output is damaged or
// missing, its instance runs again.
func (r *run) fromUpstream(ctx context.Context, u pipeline.UpstreamFile, to string, work *workDir) error {
	out, _ := r.outcomes[u.From.Instance].Output(u.From.Output)
	err := r.fromStore(out, to)
	for range maxRepairs {
		if !cache.Damaged(err) {
			return err
		}

		if repairErr := r.repair(ctx, u.From.Instance, err.Error(), work); repairErr != nil {
			return fmt.Errorf("%w; computing it again failed: %w", err, repairErr)
		}

		removeTree(to)
		err = r.fromStore(out, to)
	}

	return err
}

// repair runs an instance again that was a hit, but whose stored outputs are damaged.
func (r *run) repair(ctx context.Context, instance int, reason string, work *workDir) error {
	r.repairs[instance].Lock()
	defer r.repairs[instance].Unlock()
	o := r.outcomes[instance]
	if _, miss := r.Store.Outputs(o.Key, o.Instance.Cache.TTL); miss == nil {
		return nil // another dependent has already repaired it
	}

	if o.components == nil {
		if err := r.rekey(o); err != nil {
			return err
		}
	}

	again := &Outcome{Instance: o.Instance, Key: o.Key, Reasons: []string{reason}, components: o.components}
	if err := r.execute(ctx, again, work); err != nil {
		return err
	}

	if again.State == Ran {
		r.repaired.Add(1)
		o.Origin = nil // this machine has made it now
	}

	if !slices.EqualFunc(again.Outputs, o.Outputs, func(a, b cache.RecordOutput) bool { return a.Digest == b.Digest }) {
		return fmt.Errorf("%s %w; run again", o.Instance, ErrOtherOutputs)
	}

	return nil
}

// ErrOtherOutputs means that a stage was executed again, because its outputs were damaged or
// could not be fetched, and that the stages after it were judged by outputs that no longer exist.
// Another run uses the new ones.
var ErrOtherOutputs = errors.New("wrote different outputs than before from the same inputs")

func (r *run) fromStore(out cache.RecordOutput, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if out.Dir {
		return r.Store.MaterializeTree(out.Digest, to)
	}
	return r.Store.Materialize(out.Digest, to, execBit(out.Mode)&0o555)
}

// keepInputLimit is the maximum size in bytes of the source files that are stored, so
// that explain can later show the changes inside them.
const keepInputLimit = 16 << 20

// keepInput stores the content of a single source file, so that explain can compare it
// with a later version. It reads the copy in base, which has the version that the run uses.
func (r *run) keepInput(input *pipeline.Input, members []member, base string) error {
	if input.Tree || len(input.Files) != 1 || r.Store.Has(members[0].digest) {
		return nil
	}
	file := filepath.Join(base, filepath.FromSlash(input.Files[0].Path))
	st, err := os.Stat(file)
	if err != nil || st.Size() > keepInputLimit {
		return err
	}
	_, _, err = r.Store.PutFile(file)
	return err
}

// collect stores the declared outputs. It returns an error if an output is missing, has
// another type than declared, or leads out of the directory.
func (r *run) collect(in *pipeline.Instance, box string) ([]cache.RecordOutput, error) {
	outputs := make([]cache.RecordOutput, 0, len(in.Outputs))
	for _, out := range in.Outputs {
		file := filepath.Join(box, filepath.FromSlash(out.Path))
		if err := insideBox(box, file); err != nil {
			return nil, fmt.Errorf("output %s: %w", out.Name, err)
		}

		st, err := os.Lstat(file)
		switch {
		case os.IsNotExist(err):
			return nil, fmt.Errorf("output %s was not written: %s is missing; the command wrote %s", out.Name, out.Path,
				written(box))
		case err != nil:
			return nil, err
		case out.Dir && !st.IsDir():
			return nil, fmt.Errorf("output %s is declared as a directory (its path ends in /), but %s is %s", out.Name,
				out.Path, typeName(st.Mode()))
		case !out.Dir && !st.Mode().IsRegular():
			return nil, fmt.Errorf("output %s is declared as a file, but %s is %s", out.Name, out.Path,
				typeName(st.Mode()))
		}

		ro := cache.RecordOutput{Name: out.Name, Path: out.Path, Dir: out.Dir, Mode: execBit(st.Mode())}
		if out.Dir {
			if err := publicNames(file, r.hidden); err != nil {
				return nil, fmt.Errorf("output %s: %w", out.Name, err)
			}

			var entries []cache.TreeEntry
			ro.Mode = fs.ModeDir | 0o755
			if ro.Digest, entries, err = r.Store.PutTree(file); err == nil {
				for _, e := range entries {
					ro.Size += e.Size
				}
			}
		} else {
			ro.Digest, ro.Size, err = r.Store.PutFile(file)
		}

		if err != nil {
			return nil, fmt.Errorf("output %s: %w", out.Name, err)
		}

		outputs = append(outputs, ro)
	}

	return outputs, nil
}

// insideBox returns an error if the path of an output contains a symbolic link that
// leads out of the box.
func insideBox(box, file string) error {
	parent, err := filepath.EvalSymlinks(filepath.Dir(file))
	if os.IsNotExist(err) {
		return nil // reported as missing
	}

	if err != nil {
		return err
	}

	root, err := filepath.EvalSymlinks(box)
	if err != nil {
		return err
	}

	if parent != root && !strings.HasPrefix(parent, root+string(filepath.Separator)) {
		return fmt.Errorf("its path leads out of the stage's directory through a symbolic link; " +
			"write it without the link")
	}

	return nil
}

// written lists what the command wrote to out/, for the message about a missing output.
func written(box string) string {
	var names []string
	_ = filepath.WalkDir(filepath.Join(box, "out"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && len(names) < 10 {
			rel, _ := filepath.Rel(box, p)
			names = append(names, safetext.Path(path.Clean(filepath.ToSlash(rel))))
		}

		return nil
	})
	if len(names) == 0 {
		return "nothing to out/"
	}

	slices.Sort(names)
	return strings.Join(names, ", ")
}

func typeName(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m.IsRegular():
		return "a file"
	default:
		return "a device"
	}
}
