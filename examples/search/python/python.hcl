contract = "lines"
command  = ["python3", "${kept}/search.py"]
