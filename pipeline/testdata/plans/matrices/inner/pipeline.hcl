variable "part" {}
variable "reports" {}
stage "sum" {
  inputs  = { reports = var.reports }
  outputs = { sum = "out/sum" }
  command = ["sum", var.part, input.reports, output.sum]
}
output "sum" { value = stage.sum.sum }
