"""Rerankers from a folder or the hub: cross-encoders and causal models that say yes or no."""
