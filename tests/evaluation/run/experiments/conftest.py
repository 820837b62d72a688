from tests.evaluation.run.conftest import indexes, small

__all__ = ["indexes", "small"]
