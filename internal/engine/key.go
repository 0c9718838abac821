package engine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// keying is the state that a worker reuses to compute the keys of instances.
type keying struct {
	pipeline.Keyer
	digests []cache.Digest
}

// inputDigest returns the digest of an input's content. For a single plain file it is
// the digest of the content, so that explain can find the content. For an executable
// file and for a directory it is the digest of the manifest.
func (r *run) inputDigest(input *pipeline.Input) (cache.Digest, error) {
	if !input.Tree && len(input.Files) == 1 && len(input.From) == 0 {
		d, _, mode, err := r.file(&input.Files[0])
		if err != nil || fileKind(mode) == plainFile {
			return d, err
		}
	}
	members, err := r.members(input)
	if err != nil {
		return cache.Digest{}, err
	}
	return digestMembers(input, members), nil
}

func digestMembers(input *pipeline.Input, members []member) cache.Digest {
	if isPlain(input, members) {
		return members[0].digest
	}
	return sha256.Sum256(encodeMembers(members))
}

// isPlain reports whether an input is one plain file, whose digest is that of its content.
func isPlain(input *pipeline.Input, members []member) bool {
	return !input.Tree && len(members) == 1 && members[0].kind == plainFile
}

// inputs returns Job.Inputs: a digest over the content and the paths of the inputs.
func (o *Outcome) inputs() cache.Digest {
	h := sha256.New()
	for i := range o.Instance.Inputs {
		input := &o.Instance.Inputs[i]
		fmt.Fprintf(h, "%q %t %s\n", input.Path, input.Tree, o.component(pipeline.InputPrefix+input.Name))
		for _, f := range input.Files {
			fmt.Fprintf(h, "%q\n", f.Path)
		}

		for _, u := range input.From {
			fmt.Fprintf(h, "%q\n", u.Path)
		}
	}

	return cache.Digest(h.Sum(nil))
}

// member is one file or directory of an input. path is relative to the path of the
// input.
type member struct {
	path   string
	kind   memberKind
	digest cache.Digest
}

type memberKind byte

const (
	plainFile memberKind = iota
	executable
	directory // the digest is that of the manifest
)

// file returns the digest, size and mode of a source file. As long as no instance
// was executed, it uses the file status that Load found shortly before. Reading the
// status again would be a third of the system calls in a run with nothing to do.
// Afterwards it returns what the run found before the first execution, see sources.
func (r *run) file(f *pipeline.SourceFile) (cache.Digest, int64, fs.FileMode, error) {
	if v := r.sources.of(f.Source); v != nil {
		return v.digest, v.size, v.mode, v.err
	}
	v := r.readVersion(f)
	return v.digest, v.size, v.mode, v.err
}

func (r *run) members(input *pipeline.Input) ([]member, error) {
	members := make([]member, 0, len(input.Files)+len(input.From))
	for _, f := range input.Files {
		d, _, mode, err := r.file(&f)
		var other *cache.NotRegularError
		if errors.As(err, &other) {
			return nil, becameOther(f, other)
		}

		if err != nil {
			return nil, err
		}

		members = append(members, member{f.Path, fileKind(mode), d})
	}

	for _, u := range input.From {
		out, ok := r.outcomes[u.From.Instance].Output(u.From.Output)
		if !ok {
			return nil, fmt.Errorf("stage %s has no output %s", r.plan.Instances[u.From.Instance], u.From.Output)
		}

		kind := fileKind(out.Mode)
		if out.Dir {
			kind = directory
		}

		members = append(members, member{u.Path, kind, out.Digest})
	}

	return members, nil
}

// mode returns the mode of a file of this kind.
func (k memberKind) mode() fs.FileMode {
	if k == executable {
		return 0o755
	}
	return 0o644
}

func fileKind(mode fs.FileMode) memberKind {
	if mode&0o111 != 0 {
		return executable
	}
	return plainFile
}

// execBit reduces a mode to whether the file is executable.
func execBit(mode fs.FileMode) fs.FileMode { return fileKind(mode).mode() }

// key computes the key of an instance whose upstream outcomes are all known. After
// it, the keying contains the components of the key.
func (r *run) key(o *Outcome, k *keying) error {
	k.digests = k.digests[:0]
	for i := range o.Instance.Inputs {
		input := &o.Instance.Inputs[i]
		d, err := r.inputDigest(input)
		if err != nil {
			return fmt.Errorf("input %s: %w", input.Name, err)
		}

		k.digests = append(k.digests, d)
	}

	tool, err := r.Tools.Resolve(o.Instance)
	if err != nil {
		return err
	}

	o.tool = tool
	o.Key = k.of(o)
	return nil
}

// of returns the key of an instance with the digests of its inputs, whose program is known.
func (k *keying) of(o *Outcome) cache.Key {
	if o.tool.Packages.Name != "" {
		return k.Key(o.Instance, k.digests, o.tool.ToolIdentity, o.tool.Packages)
	}
	return k.Key(o.Instance, k.digests, o.tool.ToolIdentity)
}

// rekey computes the components of an outcome's known key.
func (r *run) rekey(o *Outcome) error {
	var k keying
	now := &Outcome{Instance: o.Instance}
	if err := r.key(now, &k); err != nil {
		return err
	}
	if now.Key != o.Key {
		return fmt.Errorf("an input of %s changed after its key was computed; run again", o.Instance)
	}
	o.components = k.Components()
	return nil
}
