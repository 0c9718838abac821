stage "s" {
  matrix { n = [1, 2] }
  outputs = {
    up       = "out/../x"      # ERROR: Invalid output; contains ".."
    far      = "../../etc/x"   # ERROR: Invalid output; contains ".."
    abs      = "/etc/passwd"   # ERROR: Invalid output; absolute
    aside    = "report.json"   # ERROR: Invalid output; not below out/
    all      = "out/"          # ERROR: Invalid output; not below out/
    twice    = "out//x"        # ERROR: Invalid output; shortest form, "out/x"
    dot      = "out/./x"       # ERROR: Invalid output; shortest form
    none     = null            # ERROR: Invalid output; is null
    list     = ["out/x"]       # ERROR: Invalid output; must be a path
    empty    = ""              # ERROR: Invalid output; not below out/
    back     = "out/a\\b"      # ERROR: Invalid output; backslashes
    bad-name.x = "out/y"       # ERROR: Invalid name; in parentheses
    "1st"    = "out/1"         # ERROR: Invalid name; starts with a letter
  }
  command = ["x"]
}
stage "overlap" {
  outputs = {
    dir  = "out/a/"
    in   = "out/a/b" # ERROR: Overlapping outputs; "dir" (out/a) and "in" (out/a/b)
    near = "out/a-b"
  }
  command = ["x"]
}
stage "same" {
  outputs = {
    a = "out/x"
    b = "out/x" # ERROR: Overlapping outputs
  }
  command = ["x"]
}
stage "varying" {
  matrix { n = ["a", "b"] }
  outputs = { for k in [matrix.n] : k => "out/x" } # ERROR: Outputs differ between instances
  command = ["x"]
}
