variable "runs" {
  type    = number
  default = 0
}
stage "no-axis" {
  matrix {} # ERROR: Empty matrix; has no axis
  command = ["x"]
}
stage "empty" {
  matrix {
    run = range(var.runs) # the stage is off
  }
  outputs = { x = "out/${matrix.run}" }
  command = ["x", matrix.run]
}
stage "behind" {
  inputs  = { x = stage.empty.x }
  command = ["x", input.x]
}
stage "all-excluded" {
  matrix { # ERROR: Empty matrix; exclude removes all 4
    run     = [1, 2]
    name    = ["a", "b"]
    exclude = [{ run = 1 }, { run = "2" }]
  }
  command = ["x"]
}
stage "no-effect" {
  matrix {
    run     = [1, 2]
    exclude = [{ run = 3 }] # WARNING: Exclusion without effect
  }
  command = ["x"]
}
stage "bad-exclude" {
  matrix {
    run     = [1, 2]
    exclude = [
      { runs = 1 }, # ERROR: Unknown axis; Did you mean "run"?
      3,            # ERROR: Bad type; An exclusion must be an object
    ]
  }
  command = ["x"]
}
stage "bad-values" {
  matrix {
    scalar = 3          # ERROR: Bad type; must be a list
    twice  = [1, "1"]   # ERROR: Invalid axis value; twice
    null   = [null]     # ERROR: Invalid axis value; null
    object = [{ a = 1 }] # ERROR: Invalid axis value; object
    slash  = ["a/b"]    # ERROR: Invalid axis value; must not contain slashes
    empty  = [""]       # ERROR: Invalid axis value; is empty
  }
  command = ["x", matrix.twice]
}
stage "large" {
  matrix { # ERROR: Matrix too large; more than 100000
    a = range(1000)
    b = range(101)
  }
  command = ["x"]
}
stage "long" {
  matrix {
    a = range(100001) # ERROR: Error in function call; more than 100000 numbers
  }
  command = ["x"]
}
stage "written-as-attribute" {
  matrix = { run = [1] } # ERROR: Block written as attribute
  command = ["x"]
}
