pipeline {
  name = "a"
}
pipeline { # ERROR: Duplicate block; at line 1
  name = "b"
}
variable "v" {
  default = 1
  default = 2 # ERROR: Attribute redefined
}
variable "v" { # ERROR: Duplicate variable; at line 7
  default = 3
}
locals { l = 1 }
locals { l = 2 } # ERROR: Duplicate local; at line 14
stage "s" {
  inputs  = { a = "../data/a.json", a = "../data/b.json" } # ERROR: Duplicate name; "a" already occurs in inputs
  outputs = {
    x = "out/x"
    x = "out/y" # ERROR: Duplicate name; "x" already occurs in outputs
  }
  env         = { A = "1", "A" = "2", B = "x", C = "y" } # ERROR: Duplicate name; "A" already occurs in env  # ERROR: Duplicate name; "B"; env and passthrough  # ERROR: Duplicate name; "C"; env and secrets
  passthrough = ["B", "D"] # ERROR: Duplicate name; "D"; secrets and passthrough
  secrets     = { C = "env:X", D = "env:Y" }
  command     = ["x"]
  matrix { a = [1] }
  matrix { b = [1] } # ERROR: Duplicate block; at line 26
}
stage "s" { # ERROR: Duplicate stage; at line 16
  command = ["y"]
}
