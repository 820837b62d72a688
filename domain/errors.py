"""Every error this project raises on purpose.

HeadwaterError
├── ConfigurationError            a knowledge base file or an argument of the build is wrong
│   └── MissingDependencyError    an optional package is needed; says what to install
├── InvalidRequestError           the caller's input is wrong
├── BlockingCallError             a synchronous call would wait for itself
├── ScoreRangeError               a provider broke its score contract
├── PassageLostError              the text of a passage can no longer be had
├── SourceError                   a knowledge source failed
│   ├── SourceUnavailableError    timeout, lost connection: asking again may work
│   └── SourceRejectedError       bad credentials, bad filter: asking again cannot work
├── ModelError                    a model failed
│   ├── ModelUnavailableError     timeout, lost connection: asking again may work
│   └── ModelOutputError          it answered, but not in the form that was asked for
├── IndexStoreError               an index on disk cannot be used
│   ├── IndexLockedError          another process writes to it
│   ├── IndexVersionError         made by another version or another embedder
│   └── IndexDamagedError         its parts contradict each other
└── FileRejectedError             one file cannot be ingested
    └── LimitExceededError        it is larger than a limit; says which, how much, who set it
"""

from typing import ClassVar


class HeadwaterError(Exception):
    """Base of all errors raised on purpose.

    `str(error)` is one line: what went wrong, then what to do about it.
    """

    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(" ".join(f"{message} {fix}".split("\n")).strip())
        self.message = message
        self.fix = fix

    def __reduce__(self) -> "tuple[object, ...]":
        """Cross to another process whole, whatever arguments the class is built from."""
        return _restored, (type(self), self.args), self.__dict__


def _restored(kind: type[HeadwaterError], args: tuple[str, ...]) -> HeadwaterError:
    error = kind.__new__(kind)
    error.args = args
    return error


class ConfigurationError(HeadwaterError):
    """A knowledge base file, or an argument given when one is built, is wrong."""


class MissingDependencyError(ConfigurationError):
    """An optional package is not installed; without `extra` it is installed by its own name."""

    def __init__(self, package: str, *, extra: str = "") -> None:
        wanted = f"'headwater[{extra}]'" if extra else package
        super().__init__(
            f"The package {package!r} is not installed.",
            fix=f"Install it with: pip install {wanted}",
        )
        self.package = package
        self.extra = extra


class InvalidRequestError(HeadwaterError):
    """The caller's input is wrong; nothing was run."""


class BlockingCallError(HeadwaterError):
    """A synchronous call came from the very loop that would have to serve it."""

    def __init__(self) -> None:
        super().__init__(
            "A synchronous call from inside a run would wait for itself.",
            fix="Await the asynchronous form, or make the call in a thread of its own.",
        )


class ScoreRangeError(HeadwaterError):
    """A score lies outside the interval of its type."""

    def __init__(self, value: float, *, low: float, high: float) -> None:
        super().__init__(f"The score {value!r} is not in [{low}, {high}].")
        self.value = value
        self.low = low
        self.high = high


class PassageLostError(HeadwaterError):
    """Passages of a run are neither in memory nor in their source any more."""

    def __init__(self, keys: list[str]) -> None:
        super().__init__(
            f"The text of {len(keys)} passage(s) is gone, the first is {keys[0]!r}.",
            fix="The source changed while the run was stopped: ask the question again.",
        )
        self.keys = keys


class SourceError(HeadwaterError):
    """A knowledge source failed. It costs its own hits, never the run."""

    def __init__(self, source: str, cause: str, *, fix: str = "") -> None:
        super().__init__(f"Source {source!r}: {cause}", fix=fix)
        self.source = source
        self.cause = cause


class SourceUnavailableError(SourceError):
    """The source may answer if asked again."""

    retryable: ClassVar[bool] = True


class SourceRejectedError(SourceError):
    """The source refuses; asking again cannot work."""


class ModelError(HeadwaterError):
    """A model failed. The step that needed it goes on in its built-in way and says so."""

    def __init__(self, model: str, cause: str, *, fix: str = "") -> None:
        super().__init__(f"Model {model!r}: {cause}", fix=fix)
        self.model = model
        self.cause = cause


class ModelUnavailableError(ModelError):
    """The model may answer if asked again."""

    retryable: ClassVar[bool] = True


class ModelOutputError(ModelError):
    """The model answered, but not in the form that was asked for."""


class IndexStoreError(HeadwaterError):
    """An index on disk cannot be used."""

    def __init__(self, path: str, cause: str, *, fix: str = "") -> None:
        super().__init__(f"Index {path!r}: {cause}", fix=fix)
        self.path = path
        self.cause = cause


class IndexLockedError(IndexStoreError):
    """Another process holds the index."""

    retryable: ClassVar[bool] = True


class IndexVersionError(IndexStoreError):
    """The index was made by another version of the program or with another embedder."""


class IndexDamagedError(IndexStoreError):
    """The parts of the index contradict each other."""


class FileRejectedError(HeadwaterError):
    """One file cannot be ingested; it is reported and the others go on."""

    def __init__(self, path: str, cause: str, *, fix: str = "") -> None:
        super().__init__(f"{path}: {cause}", fix=fix)
        self.path = path
        self.cause = cause


class LimitExceededError(FileRejectedError):
    """A file is larger than a limit."""

    def __init__(self, path: str, *, limit: str, allowed: int, used: int) -> None:
        super().__init__(
            path,
            f"{limit} is {used:,}, allowed are {allowed:,}.",
            fix=f"Raise `{limit}` for this source if the file can be trusted.",
        )
        self.limit = limit
        self.allowed = allowed
        self.used = used
