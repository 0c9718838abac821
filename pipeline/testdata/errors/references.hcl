variable "runs" {
  type    = number
  default = 3
}
locals {
  seeds = range(var.run) # ERROR: Unknown variable; Did you mean "runs"?
  base  = local.sedes    # ERROR: Unknown local; Did you mean "seeds"?
  bare  = seeds          # ERROR: Unknown name; Did you mean local.seeds?
  text  = linux          # ERROR: Unknown name; put it in quotes: "linux"
}
stage "score" {
  matrix {
    run = [1, 2]
  }
  inputs  = { corpus = "../data/a.json", other = stage.scor.report } # ERROR: Unknown stage; Did you mean "score"?
  outputs = { report = "out/${matrix.runs}.json" } # ERROR: Unknown axis; Did you mean "run"?; It has "run"
  command = [
    "x",
    input.corps,   # ERROR: Unknown input; Did you mean "corpus"?
    output.reprt,  # ERROR: Unknown output; Did you mean "report"?
    matrix.detector, # ERROR: Unknown axis; no axis "detector"
    corpus,        # ERROR: Unknown name; Did you mean input.corpus?
    uper("a"),     # ERROR: Unknown function; Did you mean "upper"?
    input,         # ERROR: Incomplete reference; write input.NAME
  ]
}
stage "gather" {
  inputs = {
    a = stage.score.reprt           # ERROR: Unknown output; Did you mean "report"?
    b = stage.score["run=3"].report # ERROR: Unknown instance; Did you mean "run=1"?
    c = stage.score["run=1"].repor  # ERROR: Unknown output; Did you mean "report"?
    d = stage.score["run=2"]        # ERROR: Incomplete reference; write stage.score["run=2"].OUTPUT
    e = stage.plain["run=1"].report # ERROR: No matrix; no instance "run=1"
  }
  command = ["x", matrix.run] # ERROR: Unknown axis; has no matrix
}
stage "plain" {
  inputs  = { whole = stage.other } # ERROR: Invalid input; a whole stage cannot be an input
  outputs = { report = "out/x" }
  command = ["x"]
}
stage "other" {
  outputs = { x = "out/x" }
  command = ["x"]
}
