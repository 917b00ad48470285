"""`regc` and `python -m regc`: where the program begins. It imports nothing heavy, so that Ctrl-C in the first moment is heard too."""

from __future__ import annotations


def main() -> None:
    """The command line (regc.cli.main); an interrupt while that is still being imported ends like any other."""
    try:
        from regc.cli.main import main as run

        run()
    except KeyboardInterrupt:
        import os

        os.write(2, b"stopped\n")
        os._exit(130)  # what was half imported is not to be tidied up


if __name__ == "__main__":
    main()
