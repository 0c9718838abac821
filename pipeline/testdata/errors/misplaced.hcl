variable "x" {
  default = local.y # ERROR: Reference out of place; Only constants may stand here
}
locals {
  y = stage.a.out # ERROR: Reference out of place; Outputs do not exist yet
  z = input.foo   # ERROR: Reference out of place; command and env only
}
stage "a" {
  matrix {
    run  = [1]
    from = stage.b.out # ERROR: Reference out of place; Outputs do not exist yet
  }
  inputs  = { x = matrix.run == 1 ? "../data/a.json" : null, y = output.out } # ERROR: Reference out of place; command and env only
  outputs = { out = "out/${input.x}" } # ERROR: Reference out of place; command and env only
  timeout = matrix.run # ERROR: Reference out of place; command, env, inputs, outputs and when only
  command = ["x", stage.b.out] # ERROR: Reference out of place; Declare the output as an input
  env     = { A = stage.b.out } # ERROR: Reference out of place; Declare the output as an input
}
stage "b" {
  outputs = { out = "out/x" }
  command = ["x"]
}
