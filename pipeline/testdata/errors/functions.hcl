locals {
  missing = file("../data/none.json")   # ERROR: does not exist
  latin1  = file("../data/latin1.txt")  # ERROR: not UTF-8 text (line 1, column 4)
  dir     = file("../data")             # ERROR: is a directory
  device  = filesha256("/dev/null")     # ERROR: is a device
  pattern = fileset("../data", "[")     # ERROR: malformed
  json    = jsondecode("{")             # ERROR: Error in function call
  yaml    = yamldecode("a: [")          # ERROR: Error in function call
  zero    = range(1, 2, 0)              # ERROR: step must not be 0
  env     = env("HOME")                 # ERROR: Unknown function
  time    = timestamp()                 # ERROR: Unknown function
  args    = upper()                     # ERROR: Not enough function arguments
  type    = upper([])                   # ERROR: Invalid function argument
  ns      = core::upper("x")            # ERROR: Unknown function
  index   = [1, 2][5]                   # ERROR: Invalid index
  after   = upper(local.missing)
}
stage "s" {
  command = ["x", local.json.a.b, local.missing]
}
