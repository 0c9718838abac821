//go:build !containers

package main

import (
	"fmt"
	"io"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone/internal/engine/remote"
)

const (
	signersFile = "allowed_signers"
	// keySecret is the secret of CI with the key that signs results.
	keySecret = "TOUCHSTONE_SIGNING_KEY"
	// writersEnvironment is the environment of GitHub that has the secrets, for the default branch only.
	writersEnvironment = "touchstone-results"
)

// initRemote is what init writes about a cache that machines share.
type initRemote struct {
	address string
}

// initRemoteOf returns what the address of a cache selects, or nil without one.
func initRemoteOf(address string) (*initRemote, error) {
	if address == "" {
		return nil, nil
	}

	if _, err := remote.ParseAddress(address); err != nil {
		return nil, err
	}

	return &initRemote{address: address}, nil
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
	return [][2]string{{envRemoteMode, "read-write"}, {envRemoteSign, "env:" + keySecret}}
}

// next says what remains to be done, in dir.
func (r *initRemote) next(w io.Writer, dir, host string) {
	fmt.Fprintf(w, `the remote cache needs a key, once, in %s:
  ssh-keygen -t ed25519 -N '' -C '' -f results-key
  echo "ci@example.com namespaces=\"touchstone\" $(cat results-key.pub)" >> %s
commit the list, and not the key
`, dir, signersFile)
	switch host {
	case hostGitHub:
		fmt.Fprintf(w, "in the settings of the repository, make the environment %s for the default branch only, and "+
			"in it the secret %s; its value is the content of results-key\n", writersEnvironment, keySecret)
	case hostGitLab:
		fmt.Fprintf(w, "in the settings of the project, add the protected variable %s; its value is the content of "+
			"results-key\n", keySecret)
	default:
		fmt.Fprintf(w, "jobs of the default branch write with %s=read-write and %s=env:%s\n", envRemoteMode,
			envRemoteSign, keySecret)
	}
}
