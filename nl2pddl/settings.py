"""Where things lie: the data folder, the domains, the store. Each can be set by an environment variable."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from nl2pddl.errors import InputError

PROJECT_ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Settings:
    """``data_dir`` holds the store and converted models, ``workers`` is how many outputs are judged at once.

    ``dask`` is the address of a Dask scheduler whose workers judge instead. ``domains_dir`` holds the domains that are
    only read.
    """

    data_dir: Path
    domains_dir: Path
    store: Path
    workers: int
    dask: str | None = None

    @property
    def added_domains(self) -> Path:
        """The folder of the domains that people added in the browser."""
        return self.data_dir / "domains"

    @property
    def domain_folders(self) -> tuple[Path, Path]:
        """All folders that domains are read from."""
        return self.domains_dir, self.added_domains


def load_settings() -> Settings:
    """Settings from NL2PDDL_DATA, _DOMAINS, _STORE, _WORKERS and _DASK, each with a default."""
    data_dir = Path(os.environ.get("NL2PDDL_DATA") or PROJECT_ROOT / "data").expanduser()
    domains_dir = Path(os.environ.get("NL2PDDL_DOMAINS") or PROJECT_ROOT / "domains").expanduser()
    store = Path(os.environ.get("NL2PDDL_STORE") or data_dir / "store.duckdb").expanduser()
    return Settings(data_dir, domains_dir, store, default_workers(), os.environ.get("NL2PDDL_DASK") or None)


def models_file() -> Path:
    """The model list: NL2PDDL_MODELS, else models.toml in the data folder, else the one that ships."""
    if named := os.environ.get("NL2PDDL_MODELS"):
        return Path(named).expanduser()
    own = Path(os.environ.get("NL2PDDL_DATA") or PROJECT_ROOT / "data").expanduser() / "models.toml"
    return own if own.exists() else PROJECT_ROOT / "data" / "models.toml"


def default_workers() -> int:
    """NL2PDDL_WORKERS, or half the cores (at least one): the other half generates. Raises InputError for no number."""
    wanted = os.environ.get("NL2PDDL_WORKERS", "").strip()
    if wanted:
        if not (wanted.isdecimal() and int(wanted) > 0):
            raise InputError(f"NL2PDDL_WORKERS is '{wanted}'; it must be a whole number from 1")
        return int(wanted)
    return max(1, (os.cpu_count() or 2) // 2)
