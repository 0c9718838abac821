# What is included twice.
pipeline {
  name             = "scoring"
  required_version = ">= 0.1.0"
  verdict          = stage.none.such
}

variable "data" {}
variable "notes" { default = null }
variable "other" { default = null }

variable "runs" {
  type    = number
  default = 1
  validation {
    condition     = var.runs > 0 && var.data != null
    error_message = "Give at least one run, and data."
  }
}

include "deeper" {
  source = "../tally.hcl"
  inputs = { reports = stage.score.report }
}

stage "score" {
  matrix { run = range(local.runs) }
  inputs = {
    data  = var.data
    notes = var.notes
    other = var.other
    words = "${path.module}/words.txt"
  }
  outputs = { report = "out/report.json" }
  command = ["score", input.data, input.notes, input.words, output.report]
}

output "all" { value = include.deeper.sum }
