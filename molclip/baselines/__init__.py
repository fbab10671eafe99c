"""What is trained for comparison alone; above training, below the command line."""
