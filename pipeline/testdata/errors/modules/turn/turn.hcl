include "loop" {
  source = "../loop" # ERROR: Cycle of includes; modules/loop/pipeline.hcl -> testdata/errors/modules/turn/turn.hcl -> testdata/errors/modules/loop/pipeline.hcl
}
