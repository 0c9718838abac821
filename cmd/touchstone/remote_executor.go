package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/engine/image"
	"github.com/touchstone-eval/touchstone/internal/engine/remote"
	"github.com/touchstone-eval/touchstone/internal/engine/workers"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// envRemoteExecutor names the server that runs stages.
const envRemoteExecutor = "TOUCHSTONE_REMOTE_EXECUTOR"

// workers returns the executor that runs stages on the workers of the server that the flags, the
// environment or the pipeline name.
func (f *globalFlags) workers(plan *pipeline.Plan, images image.Images) (*workers.Executor, error) {
	of := plan.Remote
	at := cmp.Or(f.remote.executor, os.Getenv(envRemoteExecutor), of.Executor,
		f.remote.cache, os.Getenv(envRemoteCache), of.Cache)
	if at == "" {
		return nil, &exitError{exitUsage, errors.New("--executor remote needs a server: name one with --remote-executor or " + envRemoteExecutor + ", or in the remote block of the pipeline")}
	}
	address, err := remote.ParseAddress(at)
	if err != nil {
		return nil, err
	}
	settings, err := f.remote.settings(address, plan)
	if err != nil {
		return nil, err
	}
	settings.What, settings.Off = "remote executor", "run stages on this machine with --executor local"
	properties := maps.Clone(of.Properties)
	if properties == nil {
		properties = map[string]string{}
	}
	for _, p := range f.remote.properties {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return nil, &exitError{exitUsage, fmt.Errorf("--remote-property %q: give NAME=VALUE", p)}
		}
		properties[name] = value
	}
	off, err := f.executor.isolationOff()
	if err != nil {
		return nil, err
	}
	return &workers.Executor{
		Images: images, Settings: settings, Properties: properties, Binary: f.executor.binary,
		Identify: ownIdentity, Grace: termGrace, Open: off,
	}, nil
}
