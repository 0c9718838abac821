package dagger

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"

	sdk "dagger.io/dagger"
	"go.opentelemetry.io/otel/trace"
)

// Version is the engine and command line that this executor is made for.
const Version = "v0.21.8"

// What the environment says about the engine, by Dagger's own names.
const (
	envSession = "DAGGER_SESSION_PORT"              // set where a Dagger function or dagger run started us
	envRunner  = "_EXPERIMENTAL_DAGGER_RUNNER_HOST" // where an engine listens
	envCLI     = "_EXPERIMENTAL_DAGGER_CLI_BIN"     // the dagger program
)

// connect begins the session, once. It outlives the job that asked first and
// ends with Close.
func (e *Executor) connect(ctx context.Context) (*sdk.Client, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.client != nil {
		return e.client, nil
	}
	if err := Reach(ctx); err != nil {
		return nil, err
	}
	if os.Getenv(envSession) == "" {
		// The SDK takes the program from this variable or downloads one.
		file, err := cli()
		if err != nil {
			return nil, err
		}
		if err := os.Setenv(envCLI, file); err != nil {
			return nil, err
		}
	}
	// Nobody reads the dagger program's account of the session: without this
	// it asks the engine for every span of every container.
	client, err := sdk.Connect(untraced(context.WithoutCancel(ctx)), sdk.WithEnvironmentVariable("DAGGER_SILENT", "1"))
	if err != nil {
		return nil, fmt.Errorf("no session with the Dagger engine: %w; %s", shortened(err), howTo)
	}
	version, err := client.Version(ctx)
	if err != nil {
		_ = client.Close()
		return nil, fmt.Errorf("asking the Dagger engine for its version: %w; %s", shortened(err), howTo)
	}
	if version != Version {
		_ = client.Close()
		return nil, fmt.Errorf("the Dagger engine is %s, and touchstone is made for %s: run that version; %s", version, Version, howTo)
	}
	e.client = client
	return client, nil
}

// untraced has the engine keep no account of the steps that it takes for a
// request: nobody would read it, and it costs a seventh of the engine's time.
// Who wants one says so by Dagger's or OpenTelemetry's own variables, and is
// heeded; so is the trace of a Dagger function that started us.
func untraced(ctx context.Context) context.Context {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if name == "TRACEPARENT" || name == "DAGGER_CLOUD_TOKEN" || strings.HasPrefix(name, "OTEL_") {
			return ctx
		}
	}
	// A trace that its beginning has not sampled, as W3C's trace context says it.
	var unsampled trace.SpanContextConfig
	unsampled.Remote = true
	_, _ = rand.Read(unsampled.TraceID[:])
	_, _ = rand.Read(unsampled.SpanID[:])
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(unsampled))
}
