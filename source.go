// Package touchstone carries the source of what the stages do, so that a
// stage's identity is the content of its code and not the bytes of a binary:
// two machines that build the same source get the same keys, whatever their
// paths, flags and linkers. It also carries what init writes.
package touchstone

import "embed"

// Source holds the Go files and schemas of the evaluation half, and the verbs
// that stages start as processes.
//
//go:embed go.mod go.sum
//go:embed cmd/touchstone/proxy.go cmd/touchstone/replay.go cmd/touchstone/detector.go
//go:embed contracts/*.go contracts/schema/*.json
//go:embed metrics listing/*.go program/*.go scan/*.go scan/page scanner/*.go scanner/internal proxy replay stages
var Source embed.FS

// Template holds the pipeline and the data that init copies.
//
//go:embed pipeline.hcl datasets/*.json adapters/*.hcl
var Template embed.FS
