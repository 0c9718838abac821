variable "x" {
  default = local.y # ERROR: Reference out of place; Only constants are allowed here
}
locals {
  y = stage.a.out # ERROR: Reference out of place; Outputs do not exist yet
  z = input.foo   # ERROR: Reference out of place; can only be used in the stage's command and env
}
stage "a" {
  matrix {
    run  = [1]
    from = stage.b.out # ERROR: Reference out of place; Outputs do not exist yet
  }
  inputs  = { x = matrix.run == 1 ? "../data/a.json" : null, y = output.out } # ERROR: Reference out of place; can only be used in the stage's command and env
  outputs = { out = "out/${input.x}" } # ERROR: Reference out of place; can only be used in the stage's command and env
  timeout = matrix.run # ERROR: Reference out of place; can only be used in the command, env, inputs, outputs and when of a stage with a matrix
  command = ["x", stage.b.out] # ERROR: Reference out of place; Declare the output as an input
  env     = { A = stage.b.out } # ERROR: Reference out of place; Declare the output as an input
}
stage "b" {
  outputs = { out = "out/x" }
  command = ["x"]
}
