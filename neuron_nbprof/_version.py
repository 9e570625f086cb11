"""The one place of the version: the build, the package and its captures read it here."""

__version__ = "0.1.0"
