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
//go:embed cmd/touchstone/cmd_proxy.go cmd/touchstone/cmd_replay.go cmd/touchstone/cmd_detector.go
//go:embed contracts/*.go contracts/schema/*.json
//go:embed metrics scanner/*.go scanner/internal stages
//go:embed internal/atomicfile internal/closest internal/datasets/validation/*.go internal/embedding/*.go internal/embedding/endpoint/*.go internal/embedding/models/*.go internal/embedding/sentence/*.go internal/embedding/sentence/*.s internal/jsonpointer/*.go
//go:embed internal/mcpclient internal/pagestyle internal/proxy internal/ranking internal/readlimit internal/reporttext/*.go internal/reporttext/*.css internal/safetext internal/scanreport internal/significance internal/subprocess internal/tokenize internal/toollist internal/toolsource
//go:embed internal/selection/*.go internal/selection/model/*.go internal/selection/score/*.go internal/similarity/*.go
var Source embed.FS

// Template holds the pipeline and the data that init copies.
//
//go:embed pipeline.hcl variables.hcl proxy.hcl adapters/*.hcl
//go:embed datasets/corpus_v2.json datasets/golden_v2.json datasets/security_v2.json datasets/cases_v2.json datasets/lock.json
//go:embed datasets/upstreams.hcl datasets/upstreams/*.json templates/gate.yml
var Template embed.FS
