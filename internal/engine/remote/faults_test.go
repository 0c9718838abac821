package remote

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine/remote/remotetest"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

func middle(t testing.TB, address string) *remotetest.Middle {
	t.Helper()
	m, err := remotetest.StartMiddle(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Stop)
	return m
}

func quick(o *Options) { o.Limits = impatient }

// shared starts a server that has a result, and returns its key and its content.
func shared(t testing.TB) (m *remotetest.Memory, k cache.Key, want map[string]string) {
	t.Helper()
	m = memory(t)
	a := newSide(t, m.Address)
	k = a.make("one", 2<<20)
	want, err := a.content(k)
	if err != nil {
		t.Fatal(err)
	}
	a.share(k)
	return m, k, want
}

// TestServerFaults has every fault at every method: nothing hangs, nothing wrong is read, and there is
// one warning.
func TestServerFaults(t *testing.T) {
	m, k, want := shared(t)
	answers := map[string]remotetest.Change{
		"stalls":        remotetest.Stall,
		"is full":       remotetest.Fail(codes.ResourceExhausted, "quota"),
		"refuses":       remotetest.Fail(codes.PermissionDenied, "not you"),
		"is gone":       remotetest.Fail(codes.Unavailable, "restarting"),
		"has a defect":  remotetest.Fail(codes.Internal, strings.Repeat("long ", 1000)),
		"says nothing":  func(context.Context, string, []byte) ([]byte, error) { return nil, nil },
		"says nonsense": func(context.Context, string, []byte) ([]byte, error) { return []byte("\xff\xff\xff nonsense"), nil },
		"says too much": func(context.Context, string, []byte) ([]byte, error) { return make([]byte, maxMessage+1), nil },
	}
	for _, method := range []string{"GetCapabilities", "GetActionResult", "BatchReadBlobs", "Read"} {
		for _, name := range slices.Sorted(maps.Keys(answers)) {
			t.Run(method+" "+name, func(t *testing.T) {
				t.Parallel()
				mid := middle(t, m.Address)
				mid.Set(remotetest.Only(method, answers[name]), nil)
				b := newSide(t, mid.Address, quick)
				found, _ := b.Lookup(k)
				if found {
					got, err := b.content(k)
					if err == nil && !maps.Equal(got, want) {
						t.Errorf("read wrong content: %v", got)
					}
					if err != nil && !cache.Damaged(err) {
						t.Errorf("the error %v does not make a run compute the result again", err)
					}
					if _, miss := b.store.Lookup(k); err != nil && miss == nil {
						t.Error("still a hit after its content could not be fetched")
					}
				}
				if n := len(b.warnings()); n > 1 {
					t.Errorf("%d warnings: %q", n, b.warnings())
				}
				for _, w := range b.warnings() {
					if len(w) > 600 {
						t.Errorf("a warning of %d bytes", len(w))
					}
				}
			})
		}
	}
	for _, method := range []string{"GetCapabilities", "FindMissingBlobs", "BatchUpdateBlobs", "Write", "UpdateActionResult"} {
		for _, name := range slices.Sorted(maps.Keys(answers)) {
			t.Run("upload, "+method+" "+name, func(t *testing.T) {
				t.Parallel()
				back := memory(t)
				mid := middle(t, back.Address)
				mid.Set(remotetest.Only(method, answers[name]), nil)
				a := newSide(t, mid.Address, quick)
				a.Offer(a.make("one", 2<<20))
				a.Offer(a.make("two", 100))
				lost := a.Close(context.Background())
				if s := a.Stats(); s.Uploaded+s.NotUploaded != 2 || lost != s.NotUploaded {
					t.Errorf("%+v, %d lost", s, lost)
				}
				if n := len(a.warnings()); n > 1 {
					t.Errorf("%d warnings: %q", n, a.warnings())
				}
				if method+name != "FindMissingBlobssays nothing" { // which means that it has everything
					complete(t, back)
				}
			})
		}
	}
}

// complete checks that every result of a server has all its content there.
func complete(t *testing.T, m *remotetest.Memory) {
	t.Helper()
	m.Locked(func() {
		for name, a := range m.Actions {
			instance, _, _ := strings.Cut(name, "|")
			need := []*repb.Digest{a.StdoutDigest, a.StderrDigest}
			for _, f := range a.OutputFiles {
				need = append(need, f.Digest)
			}
			for _, d := range a.OutputDirectories {
				need = append(need, d.TreeDigest)
				var tree repb.Tree
				if err := proto.Unmarshal(m.Blobs[instance+"|"+d.TreeDigest.Hash], &tree); err != nil {
					t.Error(err)
				}
				for _, dir := range append(tree.Children, tree.Root) {
					for _, f := range dir.GetFiles() {
						need = append(need, f.Digest)
					}
				}
			}
			for _, d := range need {
				if _, ok := m.Blobs[instance+"|"+d.GetHash()]; !ok && d.GetSizeBytes() > 0 {
					t.Errorf("the result %s lacks %s", name, d.Hash)
				}
			}
		}
	})
}

// A server that is gone, or that is not one, costs one attempt.
func TestNoServer(t *testing.T) {
	m := memory(t)
	m.Stop()
	b := newSide(t, m.Address, quick)
	for i := range 3 {
		if found, why := b.Lookup(keyOf(fmt.Sprint(i))); found || why != "" {
			t.Errorf("%v %q", found, why)
		}
	}
	if w := b.warnings(); len(w) != 1 || !strings.Contains(w[0], "the run goes on without it") {
		t.Errorf("%q", w)
	}
}

// A run that is interrupted does not wait, and does not warn.
func TestInterrupt(t *testing.T) {
	m, k, _ := shared(t)
	mid := middle(t, m.Address)
	mid.Set(remotetest.Only("GetActionResult", remotetest.Stall), remotetest.Only("BatchUpdateBlobs", remotetest.Stall))
	ctx, cancel := context.WithCancel(t.Context())
	store, err := cache.Open(t.TempDir(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	at, _ := ParseAddress(mid.Address)
	var warned []string
	r, err := Open(ctx, Options{
		Settings: Settings{Address: at, Limits: patient}, Store: store, Verify: verify, Sign: signAs("ci"),
		Warn: func(text string) { warned = append(warned, text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &side{t: t, Results: r, store: store}
	r.Offer(s.make("two", 100))
	done := make(chan bool)
	go func() {
		found, _ := r.Lookup(k)
		done <- found
	}()
	cancel()
	if <-done {
		t.Error("found")
	}
	if lost := r.Close(ctx); lost != 1 {
		t.Errorf("%d lost", lost)
	}
	if len(warned) > 0 {
		t.Errorf("%q", warned)
	}
}

// A key that asks a person who is not there does not hold up the end of a run.
func TestSlowKey(t *testing.T) {
	t.Parallel() // it mostly waits
	m := memory(t)
	forever := make(chan struct{})
	defer close(forever)
	a := newSide(t, m.Address, quick, func(o *Options) {
		o.Limits.Finish = 10 * time.Millisecond
		o.Sign = func([]byte) ([]byte, error) {
			<-forever
			return nil, nil
		}
	})
	a.Offer(a.make("one", 100))
	if lost := a.Close(context.Background()); lost != 1 {
		t.Errorf("%d lost", lost)
	}
	if w := a.warnings(); len(w) != 1 || !strings.Contains(w[0], "uploading took longer than 10ms") {
		t.Errorf("%q", w)
	}
}

// A server that answers each request slowly, but in time, is given up after a while.
func TestSlow(t *testing.T) {
	m, k, _ := shared(t)
	mid := middle(t, m.Address)
	mid.Set(nil, remotetest.Only("GetActionResult", func(ctx context.Context, _ string, b []byte) ([]byte, error) {
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
		return b, nil
	}))
	b := newSide(t, mid.Address, func(o *Options) {
		o.Limits = patient
		o.Limits.Total, o.Limits.PerLookup = 100*time.Millisecond, time.Microsecond
	})
	for i := range 1000 {
		b.Lookup(keyOf(fmt.Sprint(i)))
	}
	if n := b.Stats().Lookups; n >= 100 {
		t.Errorf("%d lookups of 20 ms each in 100 ms", n)
	}
	if found, _ := b.Lookup(k); found {
		t.Error("asked again")
	}
	if w := b.warnings(); len(w) != 1 || !strings.Contains(w[0], "too slow") {
		t.Errorf("%q", w)
	}
}

// A server that is restarted between two requests is used on.
func TestRestart(t *testing.T) {
	server := bazelRemote(t)
	a := newSide(t, server.Address)
	k := a.make("one", 2<<20)
	want, err := a.content(k)
	if err != nil {
		t.Fatal(err)
	}
	a.share(k)
	b := newSide(t, server.Address)
	if found, why := b.Lookup(k); !found {
		t.Fatal(why)
	}
	server.Kill()
	restarted := make(chan error)
	go func() { restarted <- server.Restart(context.Background()) }()
	got, err := b.content(k)
	if rerr := <-restarted; rerr != nil {
		t.Fatal(rerr)
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, warnings %q", err, b.warnings())
	}
}

// A server that evicts content after it has answered with the result.
func TestEvicted(t *testing.T) {
	m, k, want := shared(t)
	var hashes []string
	m.Locked(func() {
		for h := range m.Blobs {
			hashes = append(hashes, h)
		}
	})
	for _, h := range hashes {
		b := newSide(t, m.Address)
		if found, why := b.Lookup(k); !found {
			t.Fatal(why)
		}
		var content []byte
		m.Locked(func() { content = m.Blobs[h]; delete(m.Blobs, h) })
		got, err := b.content(k)
		if err == nil && !maps.Equal(got, want) {
			t.Errorf("without %s: read wrong content", h)
		}
		if err != nil {
			if _, miss := b.store.Lookup(k); miss == nil || !cache.Damaged(err) {
				t.Errorf("without %s: %v is no miss", h, err)
			}
		}
		if len(b.warnings()) > 0 {
			t.Errorf("evicted content is no fault of a server: %q", b.warnings())
		}
		m.Locked(func() { m.Blobs[h] = content })
	}
}

// A server that sends other content than it was asked for.
func TestLyingServer(t *testing.T) {
	m, k, _ := shared(t)
	m.Locked(func() {
		for h, b := range m.Blobs {
			b = slices.Clone(b)
			b[len(b)/2] ^= 1
			m.Blobs[h] = b
		}
	})
	b := newSide(t, m.Address)
	if found, why := b.Lookup(k); !found {
		t.Fatal(why)
	}
	if got, err := b.content(k); err == nil {
		t.Errorf("read %v", got)
	}
	if w := b.warnings(); len(w) != 1 || !strings.Contains(w[0], "does not match its digest") {
		t.Errorf("%q", w)
	}
	if st, err := b.store.Verify(t.Context(), cache.VerifyOptions{}); err != nil || len(st.Problems) > 0 {
		t.Errorf("%v %v", st, err)
	}
}

// TestForged puts results under keys that nobody signed them for.
func TestForged(t *testing.T) {
	m := memory(t)
	a := newSide(t, m.Address)
	one, two := a.make("one", 100), a.make("two", 200)
	record, _, err := a.store.RecordFile(one)
	if err != nil {
		t.Fatal(err)
	}
	a.share(one, two)
	actionKey := func(k cache.Key) string {
		return "|" + actionOf(k).Digest.String()
	}
	good := map[cache.Key]*repb.ActionResult{}
	for _, k := range []cache.Key{one, two} {
		good[k] = m.Actions[actionKey(k)]
	}
	enclosed := func(r *repb.ActionResult) (record, signature []byte) {
		return part(r, 0), part(r, 1)
	}
	oneRecord, oneSignature := enclosed(good[one])
	twoRecord, twoSignature := enclosed(good[two])
	forged := slices.Clone(record)
	forged[len(forged)-2] ^= 1
	by := func(name string, record []byte) []byte {
		s, _ := signAs(name)(record)
		return s
	}
	for name, forgery := range map[string]struct {
		parts [][]byte
		why   string
	}{
		"another program's":    {nil, "touchstone did not make it"},
		"unsigned":             {[][]byte{oneRecord}, "it is not signed"},
		"a signature alone":    {[][]byte{oneSignature}, "touchstone did not make it"},
		"by somebody else":     {[][]byte{oneRecord, by("mallory", oneRecord)}, "its signature does not match"},
		"swapped signature":    {[][]byte{oneRecord, twoSignature}, "its signature does not match"},
		"swapped result":       {[][]byte{twoRecord, twoSignature}, "it holds the record of"},
		"changed":              {[][]byte{forged, oneSignature}, "the record is corrupt"},
		"cut":                  {[][]byte{oneRecord[:len(oneRecord)-1], oneSignature}, "the record is corrupt"},
		"two, the second wins": {[][]byte{oneRecord, oneSignature, twoRecord, twoSignature}, "it holds the record of"},
	} {
		t.Run(name, func(t *testing.T) {
			r := proto.Clone(good[one]).(*repb.ActionResult)
			r.ExecutionMetadata.AuxiliaryMetadata = nil
			for _, p := range forgery.parts {
				enclosed, err := anypb.New(wrapperspb.Bytes(p))
				if err != nil {
					t.Fatal(err)
				}
				r.ExecutionMetadata.AuxiliaryMetadata = append(r.ExecutionMetadata.AuxiliaryMetadata, enclosed)
			}
			m.Locked(func() { m.Actions[actionKey(one)] = r })
			b := newSide(t, m.Address)
			found, why := b.Lookup(one)
			if found || !strings.Contains(why, forgery.why) {
				t.Errorf("found %v, %q", found, why)
			}
			if _, err := b.store.Record(one); err == nil {
				t.Error("the store has it")
			}
			if b.Stats().Refused != 1 {
				t.Errorf("%+v", b.Stats())
			}
		})
	}
	// Sizes that the server alone claims.
	for _, size := range []int64{-1, 0, 1 << 60} {
		r := proto.Clone(good[one]).(*repb.ActionResult)
		r.StdoutDigest.SizeBytes = size
		m.Locked(func() { m.Actions[actionKey(one)] = r })
		b := newSide(t, m.Address)
		if found, why := b.Lookup(one); found || !strings.Contains(why, "not complete") {
			t.Errorf("a log of %d bytes: %v %q", size, found, why)
		}
	}
}

func part(r *repb.ActionResult, i int) []byte {
	var b wrapperspb.BytesValue
	if err := r.ExecutionMetadata.AuxiliaryMetadata[i].UnmarshalTo(&b); err != nil {
		panic(err)
	}
	return b.Value
}

// A result of this machine stays, whatever a server says.
func TestOwnResultStays(t *testing.T) {
	m, k, _ := shared(t)
	b := newSide(t, m.Address)
	b.make("one", 100) // the same key, other outputs
	if found, why := b.Lookup(k); found || !strings.Contains(why, "differ from those that this machine made") {
		t.Errorf("%v %q", found, why)
	}
}

// Many goroutines want the same content, and it is fetched once.
func TestFetchOnce(t *testing.T) {
	m, k, want := shared(t)
	b := newSide(t, m.Address)
	if found, why := b.Lookup(k); !found {
		t.Fatal(why)
	}
	var g sync.WaitGroup
	for range 16 {
		g.Go(func() {
			if got, err := b.content(k); err != nil || !maps.Equal(got, want) {
				t.Error(err)
			}
		})
	}
	g.Wait()
	b.Close(context.Background())
	if n := b.Stats().FetchedBytes; n > 2<<20+1<<10 {
		t.Errorf("%d bytes fetched", n)
	}
}

// TestGarbled changes bytes of the answers of every method.
func TestGarbled(t *testing.T) {
	m, k, want := shared(t)
	m.Zstd = true
	n := level.Rounds(5, 20)
	for _, method := range []string{"GetCapabilities", "GetActionResult", "BatchReadBlobs", "Read", "FindMissingBlobs", "BatchUpdateBlobs", "Write", "UpdateActionResult"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			mid := middle(t, m.Address)
			for i := range n {
				random := rand.New(rand.NewPCG(uint64(i), sum(method)))
				mid.Set(remotetest.Only(method, garble(random)), nil)
				b := newSide(t, mid.Address, quick)
				if found, _ := b.Lookup(k); found {
					if got, err := b.content(k); err == nil && !maps.Equal(got, want) {
						t.Fatalf("wrong content after garbled reply %d", i)
					}
				}
				b.Offer(b.make("other", 700<<10))
				b.Close(context.Background())
				if len(b.warnings()) > 1 {
					t.Errorf("%q", b.warnings())
				}
			}
		})
	}
}

func sum(text string) uint64 {
	s := sha256.Sum256([]byte(text))
	return uint64(s[0])<<8 | uint64(s[1])
}

// garble returns a Change that garbles messages.
func garble(random *rand.Rand) remotetest.Change {
	var mu sync.Mutex
	return func(_ context.Context, _ string, b []byte) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		return remotetest.Garbled(random, b), nil
	}
}
