"""What the ranker's training is made of: lists, negatives, losses, the loop, the export."""
