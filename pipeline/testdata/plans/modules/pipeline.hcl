# Includes, conditions and orders. The values are in variables.hcl.
pipeline {
  name    = "modules"
  verdict = stage.judge.verdict
}

stage "prepare" {
  matrix { n = [1, 2, 3] }
  when    = matrix.n != 2
  outputs = { x = "out/x.${matrix.n}" }
  command = ["prepare", output.x]
}

stage "extra" {
  when    = var.extra
  inputs  = { missing = "no/such/file" }
  outputs = { x = "out/x", y = "out/y/" }
  command = ["extra", input.missing]
}

include "first" {
  source = "scoring"
  inputs = {
    data = stage.prepare.x
    runs = "2" # converted, as values from outside are
  }
}

include "second" {
  source = "scoring"
  inputs = {
    data  = "../../data/a.json"
    notes = stage.extra.x
    other = include.first.all
  }
}

stage "judge" {
  inputs = {
    first  = include.first.all
    second = include.second.all
    single = stage.prepare["n=3"].x
    off    = stage.prepare["n=2"].x
    extra  = stage.extra.y
    none   = [stage.extra.x, null]
    some   = [stage.extra.x, include.first.all]
  }
  outputs    = { verdict = "out/v.json" }
  depends_on = [stage.prepare, stage.extra, include.second]
  command    = ["judge", input.first, input.extra, input.off, input.none, output.verdict]
}

stage "refresh" {
  on_demand = true
  outputs   = { data = "out/data" }
  command   = ["refresh", path.module]
  cache { mode = "off" }
}
