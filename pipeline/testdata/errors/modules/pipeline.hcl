# VAR: secret=["hunter2"]
variable "secret" {
  type      = list(string)
  sensitive = true
}
stage "data" {
  matrix { n = [1, 2] }
  outputs = { x = "out/x" }
  command = ["x"]
}
stage "off" {
  when    = false
  outputs = { x = "out/x" }
  command = ["x"]
}
include "same" {
  source = "scoring"
  inputs = { corpus = stage.data.x, runs = 1 }
}
include "same" { # ERROR: Duplicate include; at line 16
  source = "scoring"
}
include "data" { # ERROR: Duplicate name; The stage "data" at line 6
  source = "scoring"
  inputs = { corpus = "../../data/a.json", runs = 1 }
}
include "away" {
  source = "none" # ERROR: Cannot read the include; does not exist
}
include "computed" {
  source = "scoring${1 + var.x}" # ERROR: Reference out of place; Only constants are allowed here
}
include "empty" {
  source = "" # ERROR: Invalid source
}
include "loop" {
  source = "loop"
}
include "inputs" { # ERROR: Missing input; needs "corpus"; at testdata/errors/modules/scoring/pipeline.hcl:1
  source = "scoring"
  inputs = {
    runs   = stage.data.x       # ERROR: Bad type; The input "runs" of include "inputs" must be a number
    corpsu = "x"                # ERROR: Undeclared variable; Did you mean "corpus"
    runs   = 2                  # ERROR: Duplicate name; twice
  }
}
include "invalid" {
  source = "scoring"
  inputs = { corpus = stage.off.x, runs = 0 }
}
include "secret" {
  source = "scoring"
  inputs = { corpus = "../../data/a.json", runs = var.secret } # ERROR: Bad type; must be a number: its value has another type
}
include "list" {
  source = "scoring"
  inputs = merge({}, {}) # ERROR: Bad type; inputs of include "list" must be a literal map
}
include "ring" { # ERROR: Cycle of includes; include.ring -> include.gnir -> include.ring
  source = "scoring"
  inputs = { corpus = include.gnir.report, runs = 1 }
}
include "gnir" {
  source = "scoring"
  inputs = { corpus = include.ring.report, runs = 1 }
}
stage "total" {
  inputs = {
    a = include.same.report
    b = include.same.reprot     # ERROR: Unknown output; Did you mean "report"
    c = include.smae.report     # ERROR: Unknown include; Did you mean "same"
    d = include.same            # ERROR: Incomplete reference; write include.same.OUTPUT
    e = stage.score.report      # ERROR: Unknown stage; There is no stage "score"
    f = path.modul              # ERROR: Unknown name; path.module
  }
  command = ["x", include.same.report] # ERROR: Reference out of place; A command can only read its declared inputs
}
output "wrong" {
  value = "text" # ERROR: Invalid output; must be an output of a stage
}
output "wrong" { # ERROR: Duplicate output
  value = stage.data.x
}
output "missing" { # ERROR: Missing attribute; needs "value"
}
stage "back" { # ERROR: Cycle of stages; back -> around/score -> back
  inputs  = { x = include.around.report }
  outputs = { x = "out/x" }
  command = ["x"]
}
include "around" {
  source = "scoring"
  inputs = { corpus = stage.back.x, runs = 1 }
}
include "axes" {
  source = "scoring"
  matrix { n = [1, 2] }
  inputs = { corpus = stage.data["n=${matrix.n}"].x, runs = matrix.m } # ERROR: Unknown axis; The matrix of include "axes" has no axis "m"
}
include "several" {
  source = "scoring"
  matrix { n = [1, 2] }
  inputs = { corpus = stage.data.x, runs = matrix.n }
}
include "twice" {
  source = "scoring"
  matrix { n = [1, 1] } # ERROR: Invalid axis value; the axis contains "1" twice
  inputs = { corpus = stage.data.x, runs = matrix.n }
}
stage "cells" {
  inputs = {
    a = include.several["n=1"]        # ERROR: Incomplete reference; write include.several["n=1"].OUTPUT
    b = include.several["n=3"].report # ERROR: Unknown output; Its instances are named like "n=1"
    c = include.several["n=2"].reprot # ERROR: Unknown output; Did you mean "report"
  }
  command = ["x"]
}
