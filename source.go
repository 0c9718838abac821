// Package touchstone carries the source of what the stages do, so that a
// stage's identity is the content of its code and not the bytes of a binary:
// two machines that build the same source get the same keys, whatever their
// paths, flags and linkers. It also carries what init writes.
package touchstone

import "embed"

// Source holds the Go files and schemas of the evaluation half, and the verbs
// that stages start as processes. Each line is a room.
//
//go:embed go.mod go.sum
//go:embed cmd/touchstone/cmd_proxy.go cmd/touchstone/cmd_replay.go cmd/touchstone/cmd_detector.go
//go:embed contracts/*.go contracts/schema/*.json
//go:embed metrics
//go:embed scanner/*.go scanner/internal
//go:embed stages
//go:embed internal/base
//go:embed internal/data/validation/*.go
//go:embed internal/proxy
//go:embed internal/report
//go:embed internal/scan
//go:embed internal/selection/*.go internal/selection/model/*.go internal/selection/score/*.go
//go:embed internal/selection/similarity/*.go
var Source embed.FS

// Template holds the pipeline and the data that init copies.
//
//go:embed pipeline.hcl variables.hcl proxy.hcl adapters/*.hcl
//go:embed datasets/corpus_v2.json datasets/golden_v2.json datasets/security_v2.json
//go:embed datasets/cases_v2.json datasets/lock.json
//go:embed datasets/upstreams.hcl datasets/upstreams/*.json templates/gate.yml
var Template embed.FS
