//go:build plain

// Package dagger is the API of the Dagger engine. The engine generates this package when
// it loads the module. This file stands in for it where there is no engine, with the build
// tag plain: it names the same types of the published SDK.
package dagger

import (
	"dagger.io/dagger"

	// Imports of the generated part, so that go.mod and go.sum pin what it needs. Otherwise the
	// engine would look up their newest versions at each load of the module.
	_ "github.com/Khan/genqlient/graphql"
	_ "github.com/dagger/otel-go"
	_ "github.com/dagger/querybuilder"
	_ "go.opentelemetry.io/otel"
	_ "go.opentelemetry.io/otel/propagation"
	_ "go.opentelemetry.io/otel/sdk/resource"
	_ "go.opentelemetry.io/otel/semconv/v1.40.0"
	_ "go.opentelemetry.io/otel/trace"
)

// Types of the SDK that the module uses.
type (
	Changeset                     = dagger.Changeset
	Client                        = dagger.Client
	Container                     = dagger.Container
	ContainerAsServiceOpts        = dagger.ContainerAsServiceOpts
	ContainerWithExecOpts         = dagger.ContainerWithExecOpts
	ContainerWithMountedCacheOpts = dagger.ContainerWithMountedCacheOpts
	Directory                     = dagger.Directory
	DirectoryFilterOpts           = dagger.DirectoryFilterOpts
	File                          = dagger.File
	HTTPOpts                      = dagger.HTTPOpts
	ReturnType                    = dagger.ReturnType
	Secret                        = dagger.Secret
	Service                       = dagger.Service
)

// Exit statuses that a command may have.
const (
	ReturnTypeAny     = dagger.ReturnTypeAny
	ReturnTypeSuccess = dagger.ReturnTypeSuccess
)
