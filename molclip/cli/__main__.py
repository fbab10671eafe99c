"""`python -m molclip.cli`, the same as `molclip`."""

from molclip.cli.main import main

if __name__ == "__main__":
    main()
