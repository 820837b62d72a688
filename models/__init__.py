"""The learned models behind ports: embedder, ranker, classifier, chat; and token counting."""
