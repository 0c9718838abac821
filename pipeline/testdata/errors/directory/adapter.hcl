# Another kind of file: nothing of it is looked at.
name = "adapter"
start { command = ["x"] }
