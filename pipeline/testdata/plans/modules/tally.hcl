# Read with the pipeline beside it, and included too.
variable "reports" { default = null }
stage "tally" {
  when    = var.reports != null
  inputs  = { reports = var.reports }
  outputs = { sum = "out/sum" }
  command = ["tally", input.reports, output.sum]
}
output "sum" { value = stage.tally.sum }
