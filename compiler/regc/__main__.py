"""`regc` and `python -m regc`: where the program begins and ends. It imports nothing heavy, so that Ctrl-C in the first moment is heard
too."""

from __future__ import annotations

import atexit
import os
import sys
from typing import NoReturn


def main() -> None:
    """The command line (regc.cli.main); an interrupt while that is still being imported ends like any other."""
    try:
        from regc.cli.main import main as run

        run()
    except KeyboardInterrupt:
        os.write(2, b"stopped\n")
        os._exit(130)  # what was half imported is not to be tidied up
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            raise
        _leave(end.code or 0)
    _leave(0)


def _leave(code: int) -> NoReturn:
    """End at once: taking millions of small objects apart, whose memory the system takes back anyway, is a thirtieth of a build."""
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        code = code or 1  # nobody reads what was still to be written
    os._exit(code)


if __name__ == "__main__":
    main()
