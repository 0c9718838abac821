variable "token" { # ERROR: Invalid value of variable token; withheld
  type      = string
  default   = "hunter2"
  sensitive = true
  validation {
    condition     = length(var.token) > 20
    error_message = "Too short: ${var.token}"
  }
}
locals {
  number = tonumber(var.token)                      # ERROR: withheld
  each   = [for c in [var.token] : tonumber(c)]     # ERROR: withheld
}
stage "s" {
  inputs  = { x = "../data/${var.token}" }          # ERROR: Sensitive value
  outputs = { x = "out/${var.token}" }              # ERROR: Invalid output; sensitive path
  command = ["x", var.token]
  timeout = var.token                               # ERROR: Sensitive value
  secrets = { A = "env:${var.token}" }              # ERROR: Sensitive value
}
stage "m" {
  matrix {
    t = [var.token] # ERROR: Sensitive value
  }
  command = ["x"]
}
