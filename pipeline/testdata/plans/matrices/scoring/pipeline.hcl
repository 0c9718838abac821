variable "data" {}
variable "all" {}
variable "language" { type = string }

stage "score" {
  matrix { run = [1, 2] }
  inputs  = { data = var.data, all = var.all }
  outputs = { report = "out/report.json" }
  command = ["score", input.data, "--language", var.language, output.report]
}

include "inner" {
  source = "../inner"
  matrix { part = ["a", "b"] }
  inputs = { part = matrix.part, reports = stage.score.report }
}

stage "join" {
  inputs  = { parts = include.inner.sum }
  outputs = { report = "out/report.json" }
  command = ["join", input.parts, output.report]
}

output "report" { value = stage.join.report }
