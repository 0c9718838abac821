package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/engine/remote"
	"github.com/touchstone-eval/touchstone/internal/engine/signing"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Environment variables of the remote cache.
const (
	envRemoteCache = "TOUCHSTONE_REMOTE_CACHE"
	envRemoteMode  = "TOUCHSTONE_REMOTE_MODE"
	envRemoteSign  = "TOUCHSTONE_REMOTE_SIGN"
	// Headers, separated by spaces.
	envRemoteHeader = "TOUCHSTONE_REMOTE_HEADER"
)

// remoteFlags select the cache that machines share. The environment and the pipeline have the other
// settings of servers: they depend on the machine and not on the verb.
type remoteFlags struct {
	cache string
}

func (f *remoteFlags) add(p *pflag.FlagSet) {
	p.StringVar(&f.cache, "remote-cache", "", "a cache that machines share, grpcs://HOST[:PORT][/INSTANCE] (default: $"+
		envRemoteCache+", or else the pipeline's)")
}

// remoteCache is an open remote cache of a session, with what it has to say.
type remoteCache struct {
	*remote.Results
	key *signing.Key // nil: read only

	mu    sync.Mutex
	notes []string
}

func (c *remoteCache) note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notes = append(c.notes, text)
}

// print prints what the cache has to say since the last time. It is not called while progress is
// drawn.
func (c *remoteCache) print(w io.Writer) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.notes {
		fmt.Fprintln(w, "warning:", safetext.Visible(n))
	}
	c.notes = nil
}

// openRemote opens the remote cache of the flag, the environment or the pipeline. It returns nil if
// there is none.
func (s *session) openRemote(ctx context.Context, flags *globalFlags, stderr io.Writer) (*remoteCache, error) {
	of := s.plan.Remote
	mode := cmp.Or(os.Getenv(envRemoteMode), of.Mode, "read")
	at := cmp.Or(flags.remote.cache, os.Getenv(envRemoteCache), of.Cache)
	switch mode {
	case "off":
		return nil, nil
	case "read", "read-write":
	default:
		return nil, &exitError{exitUsage,
			fmt.Errorf("unknown mode %q of the remote cache: use read, read-write or off", mode)}
	}

	if at == "" {
		return nil, nil
	}

	address, err := remote.ParseAddress(at)
	if err != nil {
		return nil, err
	}

	signers, err := flags.signersOf(ctx, s.plan)
	if err != nil {
		return nil, err
	}

	if signers == nil {
		return nil, fmt.Errorf("the remote cache %s: there is no list of allowed signers, so no result from there "+
			"would count; name one in the trust block of the pipeline or with %s, or turn the remote cache off with "+
			"%s=off", address, envAllowedSigners, envRemoteMode)
	}

	settings, err := remoteSettings(address, s.plan)
	if err != nil {
		return nil, err
	}

	c := &remoteCache{}
	o := remote.Options{
		Settings: settings,
		Store:    s.store, Verify: verifier(signers), Warn: c.note,
		Say: func(text string) { fmt.Fprintln(stderr, text) },
	}
	if mode == "read-write" {
		ref := os.Getenv(envRemoteSign)
		if ref == "" {
			ref = inRoot(of.SigningKey, s.plan.Root)
		}

		if ref == "" {
			return nil, fmt.Errorf("the remote cache %s: what is uploaded must be signed, or it counts for nobody; "+
				"name a key with %s, or use %s=read", address, envRemoteSign, envRemoteMode)
		}

		if c.key, err = signing.OpenKey(ctx, ref, os.LookupEnv); err != nil {
			return nil, err
		}

		o.Sign = c.key.Sign
	}

	if c.Results, err = remote.Open(ctx, o); err != nil {
		c.closeKey()
		return nil, err
	}

	return c, nil
}

func (c *remoteCache) closeKey() {
	if c.key != nil {
		c.key.Close()
	}
}

// inRoot makes the path of a reference absolute.
func inRoot(ref, root string) string {
	if path, ok := strings.CutPrefix(ref, "file:"); ok && !filepath.IsAbs(path) {
		return "file:" + filepath.Join(root, filepath.FromSlash(path))
	}
	return ref
}

// remoteSettings returns how to connect to a server.
func remoteSettings(address remote.Address, plan *pipeline.Plan) (remote.Settings, error) {
	of := plan.Remote
	headers, err := remoteHeaders(of)
	return remote.Settings{
		Address: address, Headers: headers, Bearer: of.Bearer, CertificateAuthority: of.CertificateAuthority,
		ClientCertificate: of.ClientCertificate, ClientKey: of.ClientKey, CredentialHelper: of.CredentialHelper,
		Root: plan.Root, Lookup: os.LookupEnv, Hide: func(v string) { hidden.Add(v) }, Agent: toolName + "/" + version,
	}, err
}

// remoteHeaders returns the headers of the pipeline and of the environment, which overrides it.
func remoteHeaders(of pipeline.Remote) (map[string]string, error) {
	headers := map[string]string{}
	maps.Copy(headers, of.Headers)
	for _, h := range strings.Fields(os.Getenv(envRemoteHeader)) {
		name, ref, ok := strings.Cut(h, "=")
		if !ok || name == "" || ref == "" {
			// it may be a secret
			return nil, &exitError{exitUsage,
				fmt.Errorf("%s: give NAME=env:NAME or NAME=file:PATH, separated by spaces", envRemoteHeader)}
		}

		headers[name] = ref
	}

	return headers, nil
}

// closeRemote waits for the uploads and says what did not work.
func (s *session) closeRemote() {
	if s.remote == nil {
		return
	}
	lost := s.remote.Close(s.ctx)
	s.remote.closeKey()
	s.remote.print(s.stderr)
	if lost > 0 && s.ctx.Err() == nil {
		fmt.Fprintf(s.stderr, "%s not uploaded to %s; the cache on this machine has all\n",
			english.Plural(lost, "result was", "results were"), s.remote.Address)
	}
}

// fetched describes what came from the remote cache for the summary line, or is empty.
func (s *session) fetched() string {
	if s.remote == nil {
		return ""
	}
	st := s.remote.Stats()
	if st.Found == 0 && st.Fetched == 0 {
		return ""
	}
	return formatSize(st.FetchedBytes) + " fetched, "
}
