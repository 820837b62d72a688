"""The doctor on models: weights of the built-in ones, and the key of a chat model."""
