variable "token" { # ERROR: Invalid value of variable token; withheld
  type      = string
  default   = "hunter2"
  sensitive = true
  validation {
    condition     = length(var.token) > 20
    error_message = "Too short: ${var.token}"
  }
}
variable "key" {
  type      = string
  default   = "hunter2"
  sensitive = true
}
locals {
  number = tonumber(var.key)                      # ERROR: withheld
  each   = [for c in [var.key] : tonumber(c)]     # ERROR: withheld
}
stage "s" {
  inputs  = { x = "../data/${var.key}" }          # ERROR: Sensitive value
  outputs = { x = "out/${var.key}" }              # ERROR: Invalid output; sensitive path
  command = ["x", var.key]
  timeout = var.key                               # ERROR: Sensitive value
  secrets = { A = "env:${var.key}" }              # ERROR: Sensitive value
}
stage "m" {
  matrix {
    t = [var.key] # ERROR: Sensitive value
  }
  command = ["x"]
}
