stag "x" { # ERROR: Unknown block; Did you mean "stage"?
  command = ["x"]
}
name = "x" # ERROR: Unknown attribute
pipeline {
  version = "1" # ERROR: Unknown attribute; It may contain "name"
  verdict { }   # ERROR: Attribute written as block
}
variable "v" {
  defualt = 1 # ERROR: Unknown attribute; Did you mean "default"?
  default = 2
  validation {
    conditon      = true # ERROR: Unknown attribute; Did you mean "condition"?
    condition     = true
    error_message = "x."
  }
}
locals {
  inner { } # ERROR: Attribute written as block
}
stage "s" {
  comand  = ["x"] # ERROR: Unknown attribute; Did you mean "command"?
  command = ["x"]
  env { }         # ERROR: Attribute written as block; write env = { ... }
  cache = "off"   # ERROR: Block written as attribute
  resources {
    cpu = 1 # ERROR: Unknown attribute; Did you mean "cpus"?
  }
  matrx { # ERROR: Unknown block; Did you mean "matrix"?
  }
}
stage "a" "b" { # ERROR: Extra label; "b"
  command = ["x"]
}
stage { # ERROR: Missing name
  command = ["x"]
}
stage "a b" { # ERROR: Invalid name; "a b"
  command = ["x"]
}
stage "../x" { # ERROR: Invalid name; "../x"
  command = ["x"]
}
