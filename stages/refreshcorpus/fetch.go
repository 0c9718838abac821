package refreshcorpus

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
)

// FetchOptions are the inputs and outputs of a fetch.
type FetchOptions struct {
	// Upstreams is the path of upstreams.hcl.
	Upstreams string
	// Packages is a directory that Download made.
	Packages string
	// Frozen is the path of the digests to verify. Pin makes them and verifies nothing.
	Frozen string
	Pin    bool
	// Out and OutFrozen are the files to write: the corpus and its digests.
	Out, OutFrozen string
	// AllowMissing leaves out servers that fail and tools that are not the frozen ones, instead of an error.
	AllowMissing bool
	// Log receives progress messages; nil discards them.
	Log io.Writer
}

// IncompleteSuffix ends the version of a corpus without some of its tools, so that nobody takes
// it for the whole.
const IncompleteSuffix = "_incomplete"

// Fetched describes a corpus that was read from the servers and verified.
type Fetched struct {
	Version string `json:"version"`
	// Servers and Tools count what the corpus has, OfServers and OfTools what is frozen.
	Servers   int `json:"servers"`
	OfServers int `json:"of_servers"`
	Tools     int `json:"tools"`
	OfTools   int `json:"of_tools"`
	// Domains counts the distinct domains of the servers, if they are known.
	Domains int `json:"domains,omitempty"`
	// SHA256 is the digest of all frozen tools.
	SHA256 string `json:"sha256"`
	// Differs lists the servers that failed or list other tools.
	Differs []Missing `json:"differs"`
	// File is where the corpus was written.
	File string `json:"file,omitempty"`
}

// Fetch installs the packages without network, starts the servers, reads their tools and
// verifies the digest of each.
func Fetch(ctx context.Context, o FetchOptions) (*Fetched, error) {
	if o.Log == nil {
		o.Log = io.Discard
	}

	u, err := readUpstreams(o.Upstreams)
	if err != nil {
		return nil, err
	}

	if err := u.checkFetched(); err != nil {
		return nil, err
	}

	frozen, err := u.digests(&o)
	if err != nil {
		return nil, err
	}

	private, err := os.MkdirTemp("", "touchstone-fetch-")
	if err != nil {
		return nil, fmt.Errorf("create a private directory: %w", err)
	}

	defer os.RemoveAll(private)
	servers, locked, err := u.prepareOffline(ctx, private, &o)
	if err != nil {
		return nil, err
	}

	found, err := list(ctx, u, servers, locked, o.Log)
	if err != nil {
		return nil, err
	}

	corpus := found.corpus(u, locked, nil)
	corpus.Version = u.Corpus.Version
	if o.Pin {
		if frozen, err = pin(&corpus, found); err != nil {
			return nil, err
		}
	}

	return u.write(&corpus, frozen, found, &o)
}

// checkFetched refuses an upstreams file that a fetch cannot use.
func (u *upstreams) checkFetched() error {
	if u.Corpus.Version == "" {
		return &usageError{`the corpus block has no version; write version = "..." there: the version of the corpus`}
	}

	if u.Corpus.Keep != "" {
		return &usageError{"keep copies tools from a file, and a fetched corpus only has tools of its servers; " +
			"remove it"}
	}

	for i := range u.Upstreams {
		if up := &u.Upstreams[i]; up.URL != "" || len(up.Passthrough) > 0 {
			return &usageError{fmt.Sprintf("upstream %q has a url or passthrough; the servers of a fetched corpus run "+
				"without network, and see no variable of yours", up.Name)}
		}
	}

	return nil
}

// digests reads the digests to verify, if any.
func (u *upstreams) digests(o *FetchOptions) (*contracts.FrozenTools, error) {
	if o.Pin {
		return nil, nil
	}

	f, err := contracts.Read[contracts.FrozenTools](o.Frozen)
	if err != nil {
		return nil, fmt.Errorf("%w\nthe file has the digests of the tools; restore it from version control, or make "+
			"it with --pin", err)
	}

	if f.Version != u.Corpus.Version {
		return nil, &usageError{fmt.Sprintf("%s is of version %s, and %s has version %s; make the digests again with "+
			"--pin", o.Frozen, f.Version, o.Upstreams, u.Corpus.Version)}
	}

	return &f, checkFrozen(&f, u)
}

// prepareOffline installs the downloaded packages in private. Each server gets a home directory
// and a directory for temporary files of its own.
func (u *upstreams) prepareOffline(ctx context.Context, private string, o *FetchOptions) ([]input.Server, locks,
	error) {
	servers, locked, err := u.pinned(private)
	if err != nil {
		return nil, nil, err
	}

	if err := u.onlyNPM(locked); err != nil {
		return nil, nil, err
	}

	for i := range u.Installs {
		in := &u.Installs[i]
		// npm writes to its cache.
		packages, to := filepath.Join(private, "packages", in.Name), filepath.Join(private, in.Name)
		if err := os.CopyFS(packages, os.DirFS(filepath.Join(o.Packages, in.Name))); err != nil {
			return nil, nil, fmt.Errorf("install %q: copy the downloaded packages: %w", in.Name, err)
		}

		if err := os.MkdirAll(to, 0o755); err != nil {
			return nil, nil, fmt.Errorf("install %q: %w", in.Name, err)
		}

		own := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + private}
		if err := install(ctx, in, u.dir, to, npmVariables(own, packages, true), o.Log); err != nil {
			return nil, nil, err
		}

		if err := os.RemoveAll(packages); err != nil {
			return nil, nil, err
		}
	}

	for i := range servers {
		// Names of servers need not be names of files.
		home := filepath.Join(private, "homes", hex.EncodeToString([]byte(servers[i].Name)))
		temporary := filepath.Join(home, "tmp")
		if err := os.MkdirAll(temporary, 0o700); err != nil {
			return nil, nil, fmt.Errorf("create a home directory for %s: %w", servers[i].Name, err)
		}

		servers[i].Env["HOME"], servers[i].Env["TMPDIR"] = home, temporary
	}

	return servers, locked, nil
}

// pin returns the digests of the corpus. All servers must have been read.
func pin(c *contracts.Corpus, found *listing) (*contracts.FrozenTools, error) {
	var failed []error
	for server, reason := range found.failed {
		failed = append(failed, fmt.Errorf("%s could not be read: %s", server, reason))
	}

	if len(failed) > 0 {
		return nil, fmt.Errorf("the digests were not made: %w", errors.Join(failed...))
	}

	return freeze(c)
}

// write verifies the corpus and writes it with its digests.
func (u *upstreams) write(c *contracts.Corpus, frozen *contracts.FrozenTools, found *listing,
	o *FetchOptions) (*Fetched, error) {
	same, differs, err := verify(c, frozen, found.failed)
	if err != nil {
		return nil, err
	}

	r := fetched(frozen, same, differs)
	r.Domains = u.domains()
	if len(differs) > 0 && (!o.AllowMissing || len(same) == 0) {
		return nil, &DiffersError{r}
	}

	c.Tools = same
	if len(differs) > 0 {
		r.Version += IncompleteSuffix
		c.Version = r.Version
		c.GeneratedFrom.Note = strings.TrimSpace(c.GeneratedFrom.Note + " " + r.restsOn() + ".")
	}

	if err := contracts.Write(o.Out, c); err != nil {
		return nil, err
	}

	return r, contracts.Write(o.OutFrozen, frozen)
}

// Verify compares a corpus that was fetched before with the digests.
func Verify(c *contracts.Corpus, frozen *contracts.FrozenTools) (*Fetched, error) {
	same, differs, err := verify(c, frozen, nil)
	return fetched(frozen, same, differs), err
}

func fetched(frozen *contracts.FrozenTools, same []contracts.Tool, differs []Missing) *Fetched {
	r := &Fetched{Version: frozen.Version, Servers: len(frozen.Servers) - len(differs), OfServers: len(frozen.Servers),
		Tools: len(same), SHA256: frozen.SHA256, Differs: append([]Missing{}, differs...)}
	for _, s := range frozen.Servers {
		r.OfTools += len(s.Tools)
	}
	return r
}

// domains counts the domains that the upstreams name.
func (u *upstreams) domains() int {
	all := map[string]bool{}
	for i := range u.Upstreams {
		if d := u.Upstreams[i].Domain; d != "" {
			all[d] = true
		}
	}
	return len(all)
}

// restsOn says how much of the frozen tools the corpus has.
func (r *Fetched) restsOn() string {
	return fmt.Sprintf("It has %d of %d tools, and %d of %d servers as they were", r.Tools, r.OfTools, r.Servers,
		r.OfServers)
}

// DiffersError reports servers that failed or list other tools than the frozen ones.
type DiffersError struct{ Fetched *Fetched }

func (e *DiffersError) Error() string {
	lines := []string{"the tools are not those that were frozen, so nothing was written:"}
	for _, m := range e.Fetched.Differs {
		lines = append(lines, fmt.Sprintf("  %s: %s", m.Server, m.Reason))
	}
	return strings.Join(append(lines, fmt.Sprintf("%d of %d servers and %d of %d tools are as they were; "+
		"--allow-missing makes a corpus of these tools", e.Fetched.Servers, e.Fetched.OfServers, e.Fetched.Tools,
		e.Fetched.OfTools)), "\n")
}

// Write prints the result for a terminal.
func (r *Fetched) Write(w io.Writer) {
	for _, m := range r.Differs {
		fmt.Fprintf(w, "left out, as accepted: %s: %s\n", m.Server, m.Reason)
	}
	if len(r.Differs) > 0 {
		fmt.Fprintf(w, "%s\n", r.restsOn())
	} else {
		fmt.Fprintf(w, "verified %d tools of %d servers (sha256 %.12s)\n", r.Tools, r.Servers, r.SHA256)
	}
	if r.File != "" {
		fmt.Fprintf(w, "wrote %s\n", r.File)
	}
}
