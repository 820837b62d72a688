"""What chat vendors raise, as our errors, with nothing in them that must stay secret."""

import os
import re

from pydantic import SecretStr

from ..domain.errors import ModelError, ModelUnavailableError

_PASSING_STATUS = frozenset({408, 409, 425, 429})
"""HTTP answers below 500 after which the same call may work."""

_PASSING_NAMES = ("timeout", "connect", "ratelimit", "overloaded", "unavailable", "protocolerror")
"""Parts of exception names by which vendors mean the same; none shares a base class."""

_SECRETS = re.compile(
    r"(?i)\b(?:sk|pk|rk|gsk|xai|key|hf|AIza)[-_][A-Za-z0-9_*.-]{6,}"
    r"|\bAIza[A-Za-z0-9_-]{20,}"
    r"|\bbearer\s+[^\s,;\"']+"
    r"|(?:api[-_ ]?key|access[-_ ]?token|secret|password|authorization)[\"']?\s*[:=]\s*[\"']?"
    r"[^\s,;\"'}]+"
    r"|(?<=[?&])key=[^\s&]+"
    r"|(?<=//)[^\s/@]+@"
)
_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)$")
_SHORTEST_SECRET = 6
_LONGEST_CAUSE = 300


def translated(error: Exception, name: str, client: object) -> ModelError:
    """Give our error for a vendor's; one that may pass is a `ModelUnavailableError`."""
    cause = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
    shown = without_secrets(cause, secrets_of(client))[:_LONGEST_CAUSE]
    if may_pass(error):
        return ModelUnavailableError(name, shown)
    return ModelError(name, shown, fix="Check the model's name, its key and its settings.")


def may_pass(error: BaseException | None) -> bool:
    """Tell whether asking again may work: by status code, else by type, through its causes."""
    for _ in range(5):
        if error is None:
            return False
        status = _status(error)
        if status is not None:
            return status >= 500 or status in _PASSING_STATUS
        known = f"{type(error).__name__}".lower()
        if isinstance(error, TimeoutError | ConnectionError) or any(
            part in known for part in _PASSING_NAMES
        ):
            return True
        error = error.__cause__
    return False


def without_secrets(text: str, known: frozenset[str] = frozenset()) -> str:
    """Replace known secrets, those of the environment, and whatever looks like one."""
    named = {value for key, value in os.environ.items() if _SECRET_NAME.search(key.upper())} | known
    for secret in sorted(named, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "***")
    return _SECRETS.sub("***", text)


def secrets_of(client: object) -> frozenset[str]:
    """Give the values that a client itself marks as secret."""
    held = getattr(client, "__dict__", {}).values()
    return frozenset(value.get_secret_value() for value in held if isinstance(value, SecretStr))


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    for holder in (error, response):
        for name in ("status_code", "code", "http_status"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and 100 <= value < 600:
                return value
    return None
