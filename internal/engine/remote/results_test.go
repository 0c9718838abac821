package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine/remote/remotetest"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// serverModule is the module that requires bazel-remote.
const serverModule = "../../../bench/remote/server"

// bazelRemote starts the real server.
func bazelRemote(t testing.TB, more ...string) *remotetest.Server {
	t.Helper()
	program, err := remotetest.ForTest(t.Context(), serverModule, level.IsThorough())
	if errors.Is(err, remotetest.ErrNoServer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := remotetest.Start(context.Background(), program, t.TempDir(), more...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

func memory(t testing.TB) *remotetest.Memory {
	t.Helper()
	m, err := remotetest.StartMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Stop)
	return m
}

// side is a machine: a store, and its use of a server.
type side struct {
	t testing.TB
	*Results
	store *cache.Store

	mu    sync.Mutex
	warns []string
}

// The tests sign by a digest with a name in front. Package signing is for the command line.
func signAs(name string) func([]byte) ([]byte, error) {
	return func(record []byte) ([]byte, error) {
		sum := sha256.Sum256(record)
		return fmt.Appendf(nil, "%s\n%s %x", signatureMagic, name, sum), nil
	}
}

func verify(record, signature []byte) (cache.Signer, error) {
	want, _ := signAs("ci")(record)
	switch {
	case len(signature) == 0:
		return cache.Signer{}, errors.New("it is not signed")
	case !bytes.Equal(want, signature):
		return cache.Signer{}, errors.New("its signature does not match")
	}
	return cache.Signer{Name: "ci", Key: "SHA256:ci"}, nil
}

// impatient are limits for tests with servers that do not answer.
var impatient = Limits{
	Connect: 300 * time.Millisecond, Answer: 300 * time.Millisecond, Stall: 300 * time.Millisecond,
	Total: time.Second, PerLookup: time.Millisecond, PerMiB: 100 * time.Millisecond, Finish: 2 * time.Second,
}

// patient are limits that no test reaches with a server that works, on a machine that is busy.
var patient = Limits{
	Connect: time.Minute, Answer: time.Minute, Stall: time.Minute,
	Total: 5 * time.Minute, PerLookup: time.Second, PerMiB: time.Minute, Finish: 5 * time.Minute,
}

func newSide(t testing.TB, address string, change ...func(*Options)) *side {
	t.Helper()
	store, err := cache.Open(t.TempDir(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return sideOf(t, store, address, change...)
}

func sideOf(t testing.TB, store *cache.Store, address string, change ...func(*Options)) *side {
	t.Helper()
	at, err := ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	s := &side{t: t, store: store}
	o := Options{
		Settings: Settings{Address: at, Lookup: os.LookupEnv, Agent: "test", Limits: patient},
		Store:    store, Verify: verify, Sign: signAs("ci"),
		Warn: func(text string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.warns = append(s.warns, text)
		},
	}
	for _, f := range change {
		f(&o)
	}
	if s.Results, err = Open(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

func (s *side) warnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.warns
}

func keyOf(name string) cache.Key { return sha256.Sum256([]byte("key of " + name)) }

// make stores the result of a stage: a file, a larger one, and a directory with files of the same and
// of different content, an executable file and a link.
func (s *side) make(name string, large int) cache.Key {
	s.t.Helper()
	put := func(b []byte) cache.Digest {
		d, err := s.store.PutBytes(b)
		if err != nil {
			s.t.Fatal(err)
		}
		return d
	}
	dir := s.t.TempDir()
	for path, mode := range map[string]fs.FileMode{"a/one": 0o644, "a/two": 0o755, "b/one": 0o644, "empty": 0o644} {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Repeat(filepath.Base(path), len(path)%5)), mode); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, d := range []string{"same/a", "same/b"} { // equal directories
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, d, "x"), []byte("x"), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := os.Symlink("../a/one", filepath.Join(dir, "b", "link")); err != nil {
		s.t.Fatal(err)
	}
	tree, _, err := s.store.PutTree(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	big := noise(name, large)
	k := keyOf(name)
	err = s.store.PutRecord(&cache.Record{
		Key: k, Stage: name, Executor: "local", Started: time.Unix(1e9, 0).UTC(), Duration: time.Second,
		Stdout: put([]byte("log of " + name)), Stderr: put(nil), Reads: put([]byte("reads of " + name)),
		Outputs: []cache.RecordOutput{
			{Name: "small", Path: "out/small", Digest: put([]byte(name)), Size: int64(len(name)), Mode: 0o644},
			{Name: "big", Path: "out/big", Digest: put(big), Size: int64(large), Mode: 0o755},
			{Name: "none", Path: "out/none", Digest: put(nil), Mode: 0o644},
			{Name: "dir", Path: "out/dir", Digest: tree, Size: 1, Mode: fs.ModeDir | 0o755, Dir: true},
		},
		Components: []cache.Component{{Name: "stage", Value: name}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return k
}

// noise is content that does not compress.
func noise(seed string, n int) []byte {
	b := make([]byte, 0, n+32)
	sum := sha256.Sum256([]byte(seed))
	for len(b) < n {
		b = append(b, sum[:]...)
		sum = sha256.Sum256(sum[:])
	}
	return b[:n]
}

// share uploads results and waits for them.
func (s *side) share(keys ...cache.Key) {
	s.t.Helper()
	for _, k := range keys {
		s.Offer(k)
	}
	if lost := s.Close(context.Background()); lost != 0 {
		s.t.Fatalf("%d results were not uploaded: %v", lost, s.warnings())
	}
}

// content reads all outputs of a result: files by the path below their output.
func (s *side) content(k cache.Key) (map[string]string, error) {
	rec, miss := s.store.Lookup(k)
	if miss != nil {
		return nil, errors.New(miss.Reason)
	}
	files := map[string]string{}
	for _, o := range rec.Outputs {
		if !o.Dir {
			b, err := s.store.Bytes(o.Digest)
			if err != nil {
				return nil, err
			}
			files[o.Name] = string(b)
			continue
		}
		dir := filepath.Join(s.t.TempDir(), "dir")
		if err := s.store.MaterializeTree(o.Digest, dir); err != nil {
			return nil, err
		}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(dir, path)
			name := o.Name + "/" + filepath.ToSlash(rel)
			switch {
			case d.Type()&fs.ModeSymlink != 0:
				files[name], err = os.Readlink(path)
			case d.IsDir():
				files[name] = "directory"
			default:
				b, rerr := os.ReadFile(path)
				st, serr := d.Info()
				if err = errors.Join(rerr, serr); err == nil {
					files[name] = fmt.Sprint(st.Mode(), " ", string(b))
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// servers runs a test with bazel-remote and with servers that offer less.
func servers(t *testing.T, test func(t *testing.T, address string)) {
	t.Run("bazel-remote", func(t *testing.T) { test(t, bazelRemote(t).Address) })
	t.Run("bazel-remote, uncompressed, instance", func(t *testing.T) {
		test(t, bazelRemote(t, "--storage_mode", "uncompressed", "--enable_ac_key_instance_mangling").Address+"/team/a")
	})
	t.Run("memory", func(t *testing.T) { test(t, memory(t).Address) })
	t.Run("memory, zstd, instance, small batches", func(t *testing.T) {
		m := memory(t)
		m.Zstd, m.MaxBatch = true, 100<<10
		test(t, m.Address+"/main")
	})
}

func TestShare(t *testing.T) {
	servers(t, func(t *testing.T, address string) {
		a := newSide(t, address)
		keys := []cache.Key{a.make("one", 100), a.make("two", 3<<20), a.make("three", 600<<10)}
		want := map[cache.Key]map[string]string{}
		for _, k := range keys {
			files, err := a.content(k)
			if err != nil {
				t.Fatal(err)
			}
			want[k] = files
		}
		a.share(keys...)
		if got := a.Stats(); got.Uploaded != 3 || got.NotUploaded != 0 || got.UploadedBytes < 3<<20 {
			t.Errorf("uploaded %+v", got)
		}

		b := newSide(t, address, func(o *Options) { o.Sign = nil })
		if found, why := b.Lookup(keyOf("never made")); found || why != "" {
			t.Errorf("found what was never made: %v %q", found, why)
		}
		for _, k := range keys {
			if found, why := b.Lookup(k); !found {
				t.Fatalf("not found: %s", why)
			}
		}
		if got := b.Stats(); got.Fetched != 0 || got.Found != 3 || got.Lookups != 4 {
			t.Errorf("the lookups fetched content: %+v", got)
		}
		for _, k := range keys {
			got, err := b.content(k)
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(got, want[k]) {
				t.Errorf("got %v\nwant %v", got, want[k])
			}
			rec, err := b.store.Record(k)
			if err != nil || rec.Origin == nil || rec.Origin.Way != cache.Fetched || rec.Origin.Signer.Name != "ci" || rec.Origin.From != b.Address.String() {
				t.Errorf("origin %v %v", rec.Origin, err)
			}
		}
		if len(a.warnings())+len(b.warnings()) > 0 {
			t.Error(a.warnings(), b.warnings())
		}
		// What was fetched is signed by somebody else, so it is not uploaded as one's own.
		c := sideOf(t, b.store, address)
		c.Offer(keys[0])
		if lost := c.Close(context.Background()); lost != 1 || c.Stats().Uploaded != 0 {
			t.Errorf("uploaded the result of another machine: %+v", c.Stats())
		}
	})
}

// A store that a process has closed still knows what is where.
func TestFetchLater(t *testing.T) {
	m := memory(t)
	a := newSide(t, m.Address)
	k := a.make("one", 2<<20)
	want, err := a.content(k)
	if err != nil {
		t.Fatal(err)
	}
	a.share(k)
	b := newSide(t, m.Address)
	if found, why := b.Lookup(k); !found {
		t.Fatal(why)
	}
	open := func() *cache.Store {
		store, err := cache.Open(b.store.Dir(), cache.Options{})
		if err != nil {
			t.Fatal(err)
		}
		store.IndexRecords("project")
		return store
	}
	for range 3 { // the index must not hide that content is away
		without := open()
		if _, miss := without.Outputs(k, 0); miss == nil || !strings.Contains(miss.Reason, "which is not used") {
			t.Errorf("a hit without the server: %+v", miss)
		}
		without.Close()
	}
	result, err := b.store.Verify(t.Context(), cache.VerifyOptions{})
	if err != nil || len(result.Problems) > 0 {
		t.Errorf("verify: %v %v", result.Problems, err)
	}
	if _, err := b.store.GC(t.Context(), cache.GCOptions{MaxBytes: 1 << 30}); err != nil {
		t.Error(err)
	}
	later := sideOf(t, open(), m.Address)
	defer later.store.Close()
	if _, miss := later.store.Outputs(k, 0); miss != nil {
		t.Fatalf("a miss with the server: %s", miss.Reason)
	}
	got, err := later.content(k)
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v %v", got, err)
	}
	if later.Stats().Lookups != 0 {
		t.Error("a hit asked the server")
	}
	if result, err := later.store.Verify(t.Context(), cache.VerifyOptions{}); err != nil || len(result.Problems) > 0 {
		t.Errorf("verify: %v %v", result.Problems, err)
	}
	// Everything that is needed is here now, except for the log.
	var out bytes.Buffer
	if tr, err := later.store.Export(t.Context(), &out, cache.ExportOptions{}); err != nil || len(tr.Skipped) != 1 {
		t.Errorf("export: %+v %v", tr, err)
	}
	rec, err := later.store.Record(k)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := later.store.Bytes(rec.Reads); err != nil || string(b) != "reads of one" {
		t.Errorf("the list of reads is %q, %v", b, err)
	}
	if b, err := later.store.Bytes(rec.Stdout); err != nil || string(b) != "log of one" {
		t.Errorf("the log: %q %v", b, err)
	}
	if tr, err := later.store.Export(t.Context(), io.Discard, cache.ExportOptions{}); err != nil || tr.Records != 1 {
		t.Errorf("export: %+v %v", tr, err)
	}
}

// TestActionOf pins the actions, because another version must find the same ones.
func TestActionOf(t *testing.T) {
	action := actionOf(cache.Key{1, 2, 3})
	const want = "fce6cb78c171f4400206e0058328d40cf28e53f47892cb1066521aca638ef6c3"
	if got := action.Digest.String(); got != want {
		t.Errorf("the action has the digest %s, want %s: results of other versions would not be found", got, want)
	}
}
