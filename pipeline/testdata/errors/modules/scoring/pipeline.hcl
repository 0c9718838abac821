variable "corpus" {
}
variable "runs" { # ERROR: Invalid value of variable runs; at least one
  type = number
  validation {
    condition     = var.runs >= 1
    error_message = "Give at least one run."
  }
}
stage "score" {
  inputs  = { corpus = var.corpus }
  outputs = { report = "out/report.json" }
  command = ["x", input.corpus]
}
output "report" {
  value = stage.score.report
}
