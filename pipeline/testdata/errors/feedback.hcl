pipeline {
  publish = { # WARNING: Published over an input; "s" reads "inputs.hcl"
    "inputs.hcl.d" = stage.s.x
    "inputs.hcl"     = stage.s.x
  }
}
stage "s" {
  inputs  = { all = { path = ".", include = ["inputs.hcl", "types.hcl"] } }
  outputs = { x = "out/x" }
  command = ["x"]
}
