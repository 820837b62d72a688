import os
import subprocess
import sys
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def offline(code: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run `code` where the hub cannot be reached and `home` is its cache."""
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )


def test_a_model_that_was_fetched_before_needs_no_network(tmp_path: Path) -> None:
    held = tmp_path / "hub" / "models--owner--tiny"
    (held / "refs").mkdir(parents=True)
    (held / "refs" / "main").write_text(COMMIT)
    (held / "snapshots" / COMMIT).mkdir(parents=True)
    (held / "snapshots" / COMMIT / "config.json").write_text("{}")

    shown = offline(
        "from headwater.models.hub import hub_folder; print(hub_folder('owner/tiny'))", tmp_path
    )

    assert shown.stdout.strip().endswith(COMMIT), shown.stderr


def test_a_hub_that_cannot_be_reached_says_what_to_do(tmp_path: Path) -> None:
    code = "from headwater.models.embedder import open_embedder; open_embedder('owner/unknown')"

    shown = offline(code, tmp_path)

    assert "ModelUnavailableError" in shown.stderr
    assert "then give its folder" in shown.stderr.splitlines()[-1]
