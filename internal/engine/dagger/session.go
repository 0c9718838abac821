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

// Version is the version of the engine and of the dagger program that touchstone was
// tested with. Other patch releases of its minor version are supported too.
const Version = "v0.21.8"

// supported reports whether the version of an engine is supported.
func supported(version string) bool {
	return strings.HasPrefix(version, minor())
}

// minor returns the start of all supported versions, such as "v0.21.".
func minor() string {
	return Version[:strings.LastIndexByte(Version, '.')+1]
}

// Environment variables of Dagger.
const (
	envSession = "DAGGER_SESSION_PORT"              // set if a Dagger function or dagger run started this process
	envRunner  = "_EXPERIMENTAL_DAGGER_RUNNER_HOST" // the address of an engine
	envCLI     = "_EXPERIMENTAL_DAGGER_CLI_BIN"     // the dagger program
)

// connect starts the session on the first call. The session outlives the job that
// started it, and Close ends it.
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
		// Without this variable, the SDK would download the program.
		file, err := cli()
		if err != nil {
			return nil, err
		}

		if err := os.Setenv(envCLI, file); err != nil {
			return nil, err
		}
	}

	// The output of the dagger program is not used. Without this setting, the
	// program would request every span of every container from the engine.
	client, err := sdk.Connect(untraced(context.WithoutCancel(ctx)), sdk.WithEnvironmentVariable("DAGGER_SILENT", "1"))
	if err != nil {
		return nil, fmt.Errorf("no session with the Dagger engine: %w; %s", shortened(err), remedyText)
	}

	version, err := client.Version(ctx)
	if err != nil {
		_ = client.Close()
		return nil, fmt.Errorf("read the version of the Dagger engine: %w; %s", shortened(err), remedyText)
	}

	if !supported(version) {
		_ = client.Close()
		return nil, fmt.Errorf("the Dagger engine has version %s, but touchstone needs %sx: run %s or another patch "+
			"release of it; %s", version, minor(), Version, remedyText)
	}

	e.client = client
	return client, nil
}

// untraced disables the traces of requests in the engine, which nobody would read
// and which take a seventh of the engine's time. Traces remain enabled if variables
// of Dagger or OpenTelemetry request them, or if a Dagger function with a trace
// started this process.
func untraced(ctx context.Context) context.Context {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if name == "TRACEPARENT" || name == "DAGGER_CLOUD_TOKEN" || strings.HasPrefix(name, "OTEL_") {
			return ctx
		}
	}

	// A trace that is not sampled, in the format of W3C Trace Context.
	var unsampled trace.SpanContextConfig
	unsampled.Remote = true
	_, _ = rand.Read(unsampled.TraceID[:])
	_, _ = rand.Read(unsampled.SpanID[:])
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(unsampled))
}
