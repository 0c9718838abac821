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

// Environment variables of the remote executor.
const (
	// The server that runs stages.
	envRemoteExecutor = "TOUCHSTONE_REMOTE_EXECUTOR"
	// Properties that select workers, NAME=VALUE, separated by spaces. NAME= leaves out one that is
	// sent by default.
	envRemoteProperty = "TOUCHSTONE_REMOTE_PROPERTY"
)

// workers returns the executor that runs stages on the workers of the server that the
// environment or the pipeline names.
func (f *globalFlags) workers(plan *pipeline.Plan, images image.Images) (*workers.Executor, error) {
	of := plan.Remote
	at := cmp.Or(os.Getenv(envRemoteExecutor), of.Executor,
		f.remote.cache, os.Getenv(envRemoteCache), of.Cache)
	if at == "" {
		return nil, &exitError{exitUsage,
			errors.New("--executor remote needs a server: name one with " + envRemoteExecutor +
				" or in the remote block of the pipeline")}
	}

	address, err := remote.ParseAddress(at)
	if err != nil {
		return nil, err
	}

	settings, err := remoteSettings(address, plan)
	if err != nil {
		return nil, err
	}

	settings.What, settings.Off = "remote executor", "run stages on this machine with --executor local"
	properties := maps.Clone(of.Properties)
	if properties == nil {
		properties = map[string]string{}
	}

	for _, p := range strings.Fields(os.Getenv(envRemoteProperty)) {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return nil, &exitError{exitUsage,
				fmt.Errorf("%s: %q is no property; give NAME=VALUE, separated by spaces", envRemoteProperty, p)}
		}

		properties[name] = value
	}

	off, err := f.executor.isolationOff()
	if err != nil {
		return nil, err
	}

	return &workers.Executor{
		Images: images, Settings: settings, Properties: properties, Binary: os.Getenv(envContainerBinary),
		Identify: ownIdentity, Grace: termGrace, Open: off,
	}, nil
}
