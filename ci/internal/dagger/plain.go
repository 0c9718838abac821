//go:build plain

// Package dagger is the API of the Dagger engine. The engine generates this package when
// it loads the module. This file stands in for it where there is no engine, with the build
// tag plain: it names the same types of the published SDK.
package dagger

import "dagger.io/dagger"

// Types of the SDK that the module uses.
type (
	Changeset              = dagger.Changeset
	Client                 = dagger.Client
	Container              = dagger.Container
	ContainerAsServiceOpts = dagger.ContainerAsServiceOpts
	ContainerWithExecOpts  = dagger.ContainerWithExecOpts
	Directory              = dagger.Directory
	DirectoryFilterOpts    = dagger.DirectoryFilterOpts
	File                   = dagger.File
	HTTPOpts               = dagger.HTTPOpts
	ReturnType             = dagger.ReturnType
	Secret                 = dagger.Secret
	Service                = dagger.Service
)

// Exit statuses that a command may have.
const (
	ReturnTypeAny     = dagger.ReturnTypeAny
	ReturnTypeSuccess = dagger.ReturnTypeSuccess
)
