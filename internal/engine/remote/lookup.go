package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

// A message is an encoded message and its digest.
type message struct {
	cache.SizedDigest
	content []byte
}

func encode(m proto.Message) message {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err) // only for texts that are not UTF-8, which nobody passes
	}
	return messageOf(b)
}

func messageOf(b []byte) message {
	return message{cache.SizedDigest{Digest: cache.Digest(sha256.Sum256(b)), Size: int64(len(b))}, b}
}

// command is the command of all actions. It is the same for all, so that a server keeps it once.
var command = sync.OnceValue(func() message {
	return encode(&repb.Command{Arguments: []string{"touchstone", "result"}})
})

// actionOf returns the action that stands for a key. It follows from the key alone, because a lookup
// has nothing else. Other programs see an action without inputs, whose salt holds the key.
func actionOf(k cache.Key) message {
	root := encode(&repb.Directory{})
	return encode(&repb.Action{
		CommandDigest: digest(command().SizedDigest), InputRootDigest: digest(root.SizedDigest),
		Salt: []byte("touchstone result 1 " + k.String()),
	})
}

// A server keeps only what a result lists, so the content of a record that is no output has paths of its own: the
// manifests of directories, and the list of what the command read.
const (
	ownDir    = ".touchstone/"
	treesDir  = ownDir + "trees/"
	readsFile = ownDir + "reads"
)

const (
	// maxEnclosed is the size in bytes of the largest record that is shared.
	maxEnclosed = 1 << 20
	// maxUnsigned is the size in bytes of the largest log or manifest: only the server says how
	// large these are.
	maxUnsigned = 256 << 20
)

const recordMagic, signatureMagic = "TSR1", "-----BEGIN SSH SIGNATURE-----"

// actionResult returns a result in the form of the protocol. The record and its signature are in the
// metadata. Everything that the record needs is listed, so that a server can check that it is there.
// extra are messages that must be uploaded besides.
func actionResult(r *cache.Record, record, signature []byte, blobs []cache.SizedDigest,
	trees map[cache.Digest][]cache.TreeEntry) (result *repb.ActionResult, extra []message, err error) {
	if n := len(record) + len(signature); n > maxEnclosed {
		return nil, nil, fmt.Errorf("its record has %d bytes, at most %d are possible", n, maxEnclosed)
	}

	size := map[cache.Digest]int64{}
	for _, b := range blobs {
		size[b.Digest] = b.Size
	}

	sized := func(d cache.Digest) *repb.Digest {
		if d.IsZero() {
			return nil
		}

		return digest(cache.SizedDigest{Digest: d, Size: size[d]}) // 0 for content of no bytes
	}
	result = &repb.ActionResult{
		StdoutDigest: sized(r.Stdout), StderrDigest: sized(r.Stderr),
		ExecutionMetadata: &repb.ExecutedActionMetadata{
			Worker:                   "touchstone",
			WorkerStartTimestamp:     timestamppb.New(r.Started),
			WorkerCompletedTimestamp: timestamppb.New(r.Started.Add(r.Duration)),
		},
	}
	if !r.Reads.IsZero() {
		result.OutputFiles = append(result.OutputFiles, &repb.OutputFile{Path: readsFile, Digest: sized(r.Reads)})
	}

	for i := range r.Outputs {
		o := &r.Outputs[i]
		if !o.Dir {
			result.OutputFiles = append(result.OutputFiles, &repb.OutputFile{
				Path: o.Path, Digest: sized(o.Digest), IsExecutable: o.Mode&0o111 != 0,
			})
			continue
		}

		tree := encode(treeOf(trees[o.Digest]))
		extra = append(extra, tree)
		result.OutputDirectories = append(result.OutputDirectories, &repb.OutputDirectory{
			Path: o.Path, TreeDigest: digest(tree.SizedDigest),
		})
		result.OutputFiles = append(result.OutputFiles,
			&repb.OutputFile{Path: treesDir + o.Name, Digest: sized(o.Digest)})
	}

	for _, part := range [][]byte{record, signature} {
		enclosed, err := anypb.New(wrapperspb.Bytes(part))
		if err != nil {
			return nil, nil, err
		}

		result.ExecutionMetadata.AuxiliaryMetadata = append(result.ExecutionMetadata.AuxiliaryMetadata, enclosed)
	}

	return result, extra, nil
}

// treeOf returns a directory in the form of the protocol, which is for the server: what a machine takes from it is the
// record and its manifests. Bytes of names that are not UTF-8, for which the protocol has no form, are escaped.
func treeOf(entries []cache.TreeEntry) *repb.Tree {
	dirs := map[string]*repb.Directory{".": {}}
	order := []string{"."}
	for i := range entries { // sorted by path, a directory before its members
		e := &entries[i]
		in, name := dirs[path.Dir(e.Path)], safetext.Bytes(path.Base(e.Path))
		switch {
		case e.Mode.IsDir():
			dirs[e.Path] = &repb.Directory{}
			order = append(order, e.Path)
		case e.Symlink != "":
			in.Symlinks = append(in.Symlinks, &repb.SymlinkNode{Name: name, Target: safetext.Bytes(e.Symlink)})
		default:
			in.Files = append(in.Files, &repb.FileNode{
				Name: name, Digest: digest(cache.SizedDigest{Digest: e.Digest, Size: e.Size}),
				IsExecutable: e.Mode&0o111 != 0,
			})
		}
	}

	tree := &repb.Tree{Root: dirs["."]}
	// The digest of a directory covers those inside it, which come after it.
	for i := len(order) - 1; i > 0; i-- {
		d := encode(dirs[order[i]])
		parent := dirs[path.Dir(order[i])]
		child := &repb.DirectoryNode{Name: safetext.Bytes(path.Base(order[i])), Digest: digest(d.SizedDigest)}
		parent.Directories = append([]*repb.DirectoryNode{child}, parent.Directories...)
	}

	seen := map[cache.Digest]bool{}
	for _, name := range order[1:] {
		if d := encode(dirs[name]); !seen[d.Digest] { // equal directories are one
			seen[d.Digest] = true
			tree.Children = append(tree.Children, dirs[name])
		}
	}

	return tree
}

// An answer is a result that a server has for a key, before anybody has judged it.
type answer struct {
	record, signature []byte
	sizes             map[string]int64 // of what the result lists, by digest
}

// lookup returns the result of a key, or nil if the server has none.
func (c *client) lookup(ctx context.Context, k cache.Key) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limits.Answer)
	defer cancel()
	request := &repb.GetActionResultRequest{InstanceName: c.address.Instance,
		ActionDigest: digest(actionOf(k).SizedDigest)}
	var result *repb.ActionResult
	err := c.retryOnce(ctx, func(ctx context.Context, o ...grpc.CallOption) (err error) {
		result, err = c.actions.GetActionResult(ctx, request, o...)
		return err
	})
	if status.Code(err) == codes.NotFound {
		return nil, nil
	}

	if err != nil {
		return nil, err
	}

	a := &answer{sizes: map[string]int64{}}
	for _, m := range result.GetExecutionMetadata().GetAuxiliaryMetadata() {
		var part wrapperspb.BytesValue
		if !m.MessageIs(&part) || m.UnmarshalTo(&part) != nil {
			continue
		}

		switch {
		case bytes.HasPrefix(part.Value, []byte(recordMagic)):
			a.record = part.Value
		case bytes.HasPrefix(part.Value, []byte(signatureMagic)):
			a.signature = part.Value
		}
	}

	list := []*repb.Digest{result.StdoutDigest, result.StderrDigest}
	for _, f := range result.OutputFiles {
		list = append(list, f.GetDigest())
	}

	for _, d := range list {
		a.sizes[d.GetHash()] = d.GetSizeBytes()
	}

	return a, nil
}

// store makes the server have a result. Its content must be there already.
func (c *client) store(ctx context.Context, k cache.Key, result *repb.ActionResult) error {
	ctx, cancel := context.WithTimeout(ctx, c.limits.Answer)
	defer cancel()
	request := &repb.UpdateActionResultRequest{InstanceName: c.address.Instance,
		ActionDigest: digest(actionOf(k).SizedDigest), ActionResult: result}
	return c.retryOnce(ctx, func(ctx context.Context, o ...grpc.CallOption) error {
		_, err := c.actions.UpdateActionResult(ctx, request, o...)
		return err
	})
}

var errIncomplete = errors.New("it is not complete")

// remoteDigests lists what the record of an answer needs, with sizes. Those of outputs are in the record.
func (a *answer) remoteDigests(r *cache.Record) ([]cache.SizedDigest, error) {
	empty := sha256.Sum256(nil)
	var list []cache.SizedDigest
	unsigned := func(d cache.Digest) error {
		if d.IsZero() || d == empty {
			return nil
		}

		size, ok := a.sizes[hex.EncodeToString(d[:])]
		if !ok || size <= 0 || size > maxUnsigned {
			return errIncomplete
		}

		list = append(list, cache.SizedDigest{Digest: d, Size: size})
		return nil
	}
	for _, d := range r.Additions() {
		if err := unsigned(d); err != nil {
			return nil, err
		}
	}

	for i := range r.Outputs {
		switch o := &r.Outputs[i]; {
		case strings.HasPrefix(o.Path, ownDir):
			return nil, errIncomplete
		case o.Dir:
			if err := unsigned(o.Digest); err != nil {
				return nil, err
			}
		case o.Digest != empty:
			list = append(list, cache.SizedDigest{Digest: o.Digest, Size: o.Size})
		}
	}

	return list, nil
}
