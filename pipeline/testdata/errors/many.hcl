# One problem of each kind, all reported in one run: none hides another.
pipeline {
  required_version = ">= 9" # ERROR: Unsupported version of touchstone
  verdict          = stage.none.x # ERROR: Unknown stage
  publish          = { "../x" = stage.broken.x } # ERROR: Invalid publish path
}
variable "unset" {} # ERROR: Variable without a value
variable "typed" {
  type    = number
  default = "x" # ERROR: Bad type
}
locals {
  a = local.b # ERROR: Cycle of locals
  b = local.a
  c = var.missing # ERROR: Unknown variable
}
stage "broken" {
  matrix {
    n = "x" # ERROR: Bad type
  }
  inputs = {
    unknown = stage.absent.x                   # ERROR: Unknown stage
    missing = "../data/none.json"              # ERROR: Invalid input
    follows = "../data/${matrix.n}/${local.c}" # unknown, so silent
  }
  outputs = {
    up = "../x" # ERROR: Invalid output
    x  = "out/x"
    x  = "out/y" # ERROR: Duplicate name
  }
  command = ["x", input.unknwn, nope("x"), ["list"], var.unset + 1, input.missing] # ERROR: Unknown input  # ERROR: Unknown function  # ERROR: Bad type
  env     = { "A-B" = local.a } # ERROR: Invalid name
  timeout = "later" # ERROR: Invalid duration
  comand  = 1 # ERROR: Unknown attribute
}
stage "ring" { # ERROR: Cycle of stages
  inputs  = { x = stage.ring.x, gone = "../data/gone" } # ERROR: Invalid input
  outputs = { x = "out/x" }
  command = [] # ERROR: Empty command
}
stage "silent" {
  inputs  = { x = stage.broken.x, y = stage.ring.x }
  command = ["x", input.x, upper(local.a), var.typed * 2, matrix.n] # ERROR: Unknown axis
}
