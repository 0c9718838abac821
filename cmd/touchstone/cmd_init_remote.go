package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/spf13/pflag"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone/internal/engine/remote"
)

const (
	signersFile = "allowed_signers"
	// keySecret is the default name of the secret of CI with the key that signs results.
	keySecret = "TOUCHSTONE_SIGNING_KEY"
	// writersEnvironment is the environment of GitHub that has the secrets, for the default branch only.
	writersEnvironment = "touchstone-results"
)

// initRemote is what init writes about a cache that machines share.
type initRemote struct {
	address string
	key     string // the secret of CI with the key
	// headers are those that only writers send, as NAME=env:SECRET.
	headers []string
	secrets []string // the names of all
}

var (
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	headerName   = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
)

// initRemoteFlags are what init writes into the pipeline and into the file for CI.
type initRemoteFlags struct {
	cache, sign string
	headers     []string
}

func (f *initRemoteFlags) add(p *pflag.FlagSet) {
	p.StringVar(&f.cache, "remote-cache", "", "the cache that the pipeline names, grpcs://HOST[:PORT][/INSTANCE]")
	p.StringVar(&f.sign, "remote-sign", "", "the secret of CI with the key that signs results, env:NAME")
	p.StringArrayVar(&f.headers, "remote-header", nil,
		"a header for the remote cache from a secret of CI, NAME=env:NAME (repeatable)")
}

// initRemoteOf returns what the flags select, or nil without a remote cache.
func initRemoteOf(f *initRemoteFlags) (*initRemote, error) {
	if f.cache == "" {
		if f.sign != "" || len(f.headers) > 0 {
			return nil, &exitError{exitUsage, errors.New("--remote-sign and --remote-header need --remote-cache, " +
				"the address that the pipeline is to name")}
		}

		return nil, nil
	}

	if _, err := remote.ParseAddress(f.cache); err != nil {
		return nil, err
	}

	r := &initRemote{address: f.cache, key: keySecret, headers: f.headers}
	if f.sign != "" {
		var ok bool
		if r.key, ok = strings.CutPrefix(f.sign, "env:"); !ok {
			return nil, fmt.Errorf("--remote-sign %q: CI does not have this file; keep the key as a secret of CI "+
				"and name its variable, env:NAME", f.sign)
		}
	}

	r.secrets = []string{r.key}
	for _, h := range f.headers {
		name, variable, ok := strings.Cut(h, "=env:")
		if !ok || !headerName.MatchString(name) {
			// it may be a secret
			return nil, errors.New("--remote-header: keep the value as a secret of CI and name its variable, " +
				"NAME=env:VARIABLE")
		}

		r.secrets = append(r.secrets, variable)
	}

	for _, name := range r.secrets {
		if !variableName.MatchString(name) {
			return nil, fmt.Errorf("env:%s: %q is not the name of a variable; use letters, digits and _", name, name)
		}
	}

	return r, nil
}

// declare adds the remote cache to the files of a pipeline.
func (r *initRemote) declare(files []initFile) ([]initFile, error) {
	for i, f := range files {
		if f.path != defaultFile {
			continue
		}

		file, diags := hclwrite.ParseConfig(f.content, f.path, hcl.InitialPos)
		if diags.HasErrors() {
			return nil, diags
		}

		in := file.Body().FirstMatchingBlock("pipeline", nil).Body()
		in.AppendNewBlock("trust", nil).Body().SetAttributeValue(signersFile, cty.StringVal(signersFile))
		in.AppendNewBlock("remote", nil).Body().SetAttributeValue("cache", cty.StringVal(r.address))
		files[i].content = file.Bytes()
	}

	return append(files, initFile{signersFile,
		[]byte(`# Whose results from the remote cache count: one key a line, as for git.
# NAME namespaces="touchstone" ssh-ed25519 KEY
`)}), nil
}

// writing are the variables of the job that writes results, in the order of a file for CI.
func (r *initRemote) writing() [][2]string {
	list := [][2]string{{envRemoteMode, "read-write"}, {envRemoteSign, "env:" + r.key}}
	if len(r.headers) > 0 {
		list = append(list, [2]string{envRemoteHeader, strings.Join(r.headers, " ")})
	}
	return list
}

// next says what remains to be done, in dir.
func (r *initRemote) next(w io.Writer, dir, host string) {
	fmt.Fprintf(w, `the remote cache needs a key, once, in %s:
  ssh-keygen -t ed25519 -N '' -C '' -f results-key
  echo "ci@example.com namespaces=\"touchstone\" $(cat results-key.pub)" >> %s
commit the list, and not the key
`, dir, signersFile)
	secrets := strings.Join(r.secrets, ", ")
	switch host {
	case hostGitHub:
		fmt.Fprintf(w, "in the settings of the repository, make the environment %s for the default branch only, and "+
			"in it the secrets %s; the value of %s is the content of results-key\n", writersEnvironment, secrets, r.key)
	case hostGitLab:
		fmt.Fprintf(w, "in the settings of the project, add the protected variables %s; the value of %s is the "+
			"content of results-key\n", secrets, r.key)
	default:
		fmt.Fprintf(w, "jobs of the default branch write with %s=read-write and %s=env:%s\n", envRemoteMode,
			envRemoteSign, r.key)
	}
}
