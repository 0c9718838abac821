package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"golang.org/x/crypto/ssh"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/touchstone-eval/touchstone/internal/engine/remote/remotetest"
)

// sharing is a subject that uses a remote cache.
type sharing struct {
	*attack
	allowed, key string
}

func (a *attack) sharing() (*sharing, error) {
	s := &sharing{attack: a, allowed: filepath.Join(a.dir, "allowed"), key: filepath.Join(a.dir, "key")}
	return s, a.makeKey(s.key, s.allowed)
}

// share runs the program in a subject with the cache at an address.
func (s *sharing) share(ctx context.Context, of *subject, address, mode string, more ...string) result {
	args := []string{"TOUCHSTONE_ALLOWED_SIGNERS=" + s.allowed, "TOUCHSTONE_REMOTE_MODE=" + mode}
	if mode == "read-write" {
		args = append(args, "TOUCHSTONE_REMOTE_SIGN="+s.key)
	}
	args = append(append(args, s.tool), of.runArgs("--remote-cache", address)...)
	return of.finish(ctx, "env", append(args, more...)...)
}

// judgeRun counts what is wrong with a run that nothing prevents from succeeding.
func (s *sharing) judgeRun(ctx context.Context, of *subject, r result, how string) {
	s.peak = max(s.peak, r.peak)
	switch {
	case ctx.Err() != nil:
	case r.hung:
		s.hangs++
		s.note("%s: the run hangs", how)
	case r.err != nil:
		s.wrong++
		s.note("%s: the run fails: %s", how, r.output)
	default:
		if d := of.differs(); d != "" {
			s.wrong++
			s.note("%s: %s", how, d)
		}

		if strings.Contains(r.output, "panic:") || strings.Count(r.output, "warning: the remote cache") > 1 {
			s.wrong++
			s.note("%s: %s", how, r.output)
		}
	}
}

// sharingMemory is sharing with a server that keeps everything in memory.
func (a *attack) sharingMemory() (*sharing, *remotetest.Memory, error) {
	s, err := a.sharing()
	if err != nil {
		return nil, nil, err
	}
	m, err := remotetest.StartMemory()
	return s, m, err
}

// remoteForged answers with results that nobody on the list has made.
func remoteForged(ctx context.Context, a *attack) error {
	s, m, err := a.sharingMemory()
	if err != nil {
		return err
	}

	defer m.Stop()
	// Results of other settings are what an attacker replays: they are signed, but not for these keys.
	for _, salt := range []string{"1", "0"} {
		if err := a.empty(); err != nil {
			return err
		}

		if r := s.share(ctx, a.subject, m.Address, "read-write", "--var", "salt="+salt); r.err != nil {
			return fmt.Errorf("uploading: %w\n%s", r.err, r.output)
		}
	}

	f := remoteForger{forger: forger{attack: a}, good: map[string]*repb.ActionResult{}}
	_, mallory, err := ed25519.GenerateKey(rand.Reader)
	if err == nil {
		f.signer, err = ssh.NewSignerFromKey(mallory)
	}

	if err != nil {
		return err
	}

	m.Locked(func() {
		for name, r := range m.Actions {
			f.good[name] = r
			f.names = append(f.names, name)
		}
	})
	for ; a.done < a.trials && ctx.Err() == nil; a.done++ {
		how, err := f.forgeAll(m)
		if err != nil {
			return err
		}

		if err := a.empty(); err != nil {
			return err
		}

		r := s.share(ctx, a.subject, m.Address, "read", "--json")
		s.judgeRun(ctx, a.subject, r, how)
		var facts struct {
			Remote struct{ Lookups, Found, Refused int } `json:"remote"`
		}
		start := max(0, strings.IndexByte(r.output, '{'))
		if err := json.NewDecoder(strings.NewReader(r.output[start:])).Decode(&facts); err != nil {
			a.wrong++
			a.note("%s: %v: %s", how, err, r.output)
		} else if facts.Remote.Found > 0 || facts.Remote.Refused == 0 {
			a.wrong++
			a.note("%s: of %d forged results %d count and %d do not", how, facts.Remote.Lookups, facts.Remote.Found,
				facts.Remote.Refused)
		}
	}

	return ctx.Err()
}

// remoteForger forges the results of a server.
type remoteForger struct {
	forger
	good map[string]*repb.ActionResult // as they were made, by the name of the action
}

// forgeAll replaces all results of a server by forgeries of one kind.
func (f *remoteForger) forgeAll(m *remotetest.Memory) (how string, err error) {
	kind := f.random.IntN(8)
	forged := map[string]*repb.ActionResult{}
	for i, name := range f.names {
		// The results of the other settings, and of other stages, are at other places of the list.
		other := f.good[f.names[(i+1+f.random.IntN(len(f.names)-1))%len(f.names)]]
		r := proto.Clone(f.good[name]).(*repb.ActionResult)
		record, signature := enclosed(r, 0), enclosed(r, 1)
		output := other.OutputFiles[f.random.IntN(len(other.OutputFiles))].Digest.Hash
		switch kind {
		case 0:
			how, record = "the right key with a wrong output", withOutput(record, output)
			if bytes.Equal(record, enclosed(r, 0)) {
				signature = nil // it is the right one after all
			}
		case 1:
			how, record = "a field that differs", f.withByte(record)
		case 2:
			how, signature = "the signature of another result", enclosed(other, 1)
		case 3:
			how, record, signature = "the result of another key with its signature", enclosed(other, 0),
				enclosed(other, 1)
		case 4:
			how, record = "a wrong output by an unknown key", withOutput(record, output)
			signature, err = f.sign(record, "touchstone")
		case 5:
			how = "another namespace"
			signature, err = f.sign(record, "git")
		case 6:
			how, signature = "no signature", nil
		case 7:
			how, record = "a record that is cut", record[:f.random.IntN(len(record))]
		}

		if err != nil {
			return how, err
		}

		r.ExecutionMetadata.AuxiliaryMetadata = nil
		for _, part := range [][]byte{record, signature} {
			e, err := anypb.New(wrapperspb.Bytes(part))
			if err != nil {
				return how, err
			}

			r.ExecutionMetadata.AuxiliaryMetadata = append(r.ExecutionMetadata.AuxiliaryMetadata, e)
		}

		forged[name] = r
		if f.random.IntN(2) == 0 { // the good ones of another instance are no good here
			forged["other"+name] = f.good[name]
		}
	}

	m.Locked(func() { m.Actions = forged })
	return how, nil
}

// enclosed returns a part of the metadata of a result.
func enclosed(r *repb.ActionResult, i int) []byte {
	var b wrapperspb.BytesValue
	_ = r.ExecutionMetadata.AuxiliaryMetadata[i].UnmarshalTo(&b) // touchstone has written it
	return b.Value
}

// remoteMethods are all methods that the program calls.
var remoteMethods = []string{"GetCapabilities", "GetActionResult", "BatchReadBlobs", "Read", "FindMissingBlobs",
	"BatchUpdateBlobs", "Write", "UpdateActionResult"}

// remoteGarbled garbles the answers of one method after the other.
func remoteGarbled(ctx context.Context, a *attack) error {
	s, err := a.sharing()
	if err != nil {
		return err
	}
	for ; a.done < a.trials && ctx.Err() == nil; a.done++ {
		if err := s.garbled(ctx, remoteMethods[a.done%len(remoteMethods)]); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// garbled is one trial: a run that uploads, and one on another machine that reads.
func (s *sharing) garbled(ctx context.Context, method string) error {
	m, err := remotetest.StartMemory()
	if err != nil {
		return err
	}

	defer m.Stop()
	m.Zstd, m.MaxBatch = s.random.IntN(2) == 0, int64(s.random.IntN(2)*100_000) // also streams
	mid, err := remotetest.StartMiddle(m.Address)
	if err != nil {
		return err
	}

	defer mid.Stop()
	var mu sync.Mutex
	random := mrand.New(mrand.NewPCG(s.random.Uint64(), 0))
	mid.Set(remotetest.Only(method, func(_ context.Context, _ string, b []byte) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		return remotetest.Garbled(random, b), nil
	}), nil)
	for _, mode := range []string{"read-write", "read"} {
		if err := s.empty(); err != nil {
			return err
		}

		s.judgeRun(ctx, s.subject, s.share(ctx, s.subject, mid.Address, mode), method+" garbled, "+mode)
	}

	return nil
}

// remoteCut stalls, cuts or garbles the connection after any number of bytes.
func remoteCut(ctx context.Context, a *attack) error {
	s, m, err := a.sharingMemory()
	if err != nil {
		return err
	}

	defer m.Stop()
	if err := a.empty(); err != nil {
		return err
	}

	if r := s.share(ctx, a.subject, m.Address, "read-write"); r.err != nil {
		return fmt.Errorf("uploading: %w\n%s", r.err, r.output)
	}

	const all = 90_000 // bytes that a reader gets, more or less
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 16 { // a run that meets a stall mostly waits
		own := *a.subject
		dir, err := os.MkdirTemp(a.dir, "reader-")
		if err != nil {
			return err
		}

		own.work, own.store = filepath.Join(dir, "work"), filepath.Join(dir, "store")
		if err := os.CopyFS(own.work, os.DirFS(a.work)); err != nil {
			return err
		}

		wg.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				n := a.done
				a.done++
				random := a.random.IntN(10)
				at := int64(n) // every count at the start, then random ones
				if n >= a.trials/2 {
					at = int64(a.random.IntN(all))
				}

				mu.Unlock()
				if n >= a.trials {
					return
				}

				then := []remotetest.Fault{remotetest.StallWire, remotetest.CloseWire, remotetest.FlipWire}[random%3]
				w, err := remotetest.StartWire(m.Address, at, then)
				if err == nil {
					err = own.empty()
				}

				if err != nil {
					mu.Lock()
					a.note("%v", err)
					a.wrong++
					mu.Unlock()
					return
				}

				r := s.share(ctx, &own, w.Address, "read")
				w.Stop()
				mu.Lock()
				s.judgeRun(ctx, &own, r, fmt.Sprintf("fault %d after %d bytes", then, at))
				mu.Unlock()
			}
		})
	}

	wg.Wait()
	a.done = min(a.done, a.trials)
	return ctx.Err()
}

// bazelRemote starts the real server. It returns nil and notes why if there is no program of it.
func (a *attack) bazelRemote(ctx context.Context) (*remotetest.Server, error) {
	program, err := remotetest.Program(ctx, filepath.Join("bench", "remote", "server"))
	if errors.Is(err, remotetest.ErrNoServer) {
		a.note("skipped: %v", err)
		return nil, nil
	}

	if err != nil {
		return nil, err
	}

	dir, err := os.MkdirTemp(a.dir, "server-")
	if err != nil {
		return nil, err
	}

	return remotetest.Start(ctx, program, dir)
}

// remoteClients lets 64 machines read and write one server.
func remoteClients(ctx context.Context, a *attack) error {
	s, err := a.sharing()
	if err != nil {
		return err
	}

	server, err := a.bazelRemote(ctx)
	if err != nil || server == nil {
		return err
	}

	defer server.Kill()
	var mu sync.Mutex
	var wg sync.WaitGroup
	started := 0
	for i := range min(writersAtOnce, a.trials) {
		own := *a.subject
		own.work, own.store = filepath.Join(a.dir, fmt.Sprintf("work-%d", i)),
			filepath.Join(a.dir, fmt.Sprintf("store-%d", i))
		if err := os.CopyFS(own.work, os.DirFS(a.work)); err != nil {
			return err
		}

		random := mrand.New(mrand.NewPCG(a.random.Uint64(), uint64(i)))
		wg.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				more := started < a.trials
				started++
				mu.Unlock()
				if !more {
					return
				}

				if err := os.RemoveAll(own.store); err != nil {
					return
				}

				salt := random.IntN(4)
				r := s.share(ctx, &own, server.Address, []string{"read", "read-write"}[random.IntN(2)], "--var",
					fmt.Sprintf("salt=%d", salt))
				mu.Lock()
				a.judge(ctx, &own, r, salt)
				mu.Unlock()
			}
		})
	}

	wg.Wait()
	return ctx.Err()
}

// remoteKills kills the client or the server at a random time of a run, and then runs again.
func remoteKills(ctx context.Context, a *attack) error {
	s, err := a.sharing()
	if err != nil {
		return err
	}

	server, err := a.bazelRemote(ctx)
	if err != nil || server == nil {
		return err
	}

	defer server.Kill()
	took := 500 * time.Millisecond // of a run; measured below
	for n := 1; n <= a.trials && ctx.Err() == nil; n++ {
		mode := []string{"read", "read-write"}[a.random.IntN(2)]
		salt := fmt.Sprintf("salt=%d", n) // so that there is something to upload
		if a.random.IntN(2) == 0 {
			if err := os.RemoveAll(a.store); err != nil {
				return err
			}
		}

		after := time.Duration(a.random.Int64N(int64(took)))
		how := fmt.Sprintf("client killed after %s, %s", after, mode)
		if a.random.IntN(2) == 0 {
			end, cancel := context.WithTimeout(ctx, after)
			s.share(end, a.subject, server.Address, mode, "--var", salt)
			cancel()
		} else {
			how = fmt.Sprintf("server killed after %s, %s", after, mode)
			killed := make(chan error)
			go func() {
				time.Sleep(after)
				server.Kill()
				killed <- server.Restart(ctx)
			}()
			r := s.share(ctx, a.subject, server.Address, mode, "--var", salt)
			if err := <-killed; err != nil {
				return err
			}

			if r.err != nil || r.hung {
				s.judgeRun(ctx, a.subject, r, how)
			}
		}

		// Another machine takes what was uploaded, and must come to the same results as without.
		if err := a.empty(); err != nil {
			return err
		}

		began := time.Now()
		r := s.share(ctx, a.subject, server.Address, mode, "--var", salt)
		took = (took*9 + time.Since(began)) / 10
		if r.err != nil || r.hung {
			a.done++
			s.judgeRun(ctx, a.subject, r, how+", the run after it")
			continue
		}

		own := *a.subject // judge changes what it expects
		a.judge(ctx, &own, r, n)
	}

	return ctx.Err()
}
