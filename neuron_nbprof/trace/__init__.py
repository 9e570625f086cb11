"""The model of a capture. It knows no file format, no torch and no drawing."""

from .arguments import Arguments
from .assembly import assemble
from .chains import Chain, Line, Station, Wait, chain
from .counters import Counter
from .lanes import Lane, Track
from .links import OWNER_RULES, LinkRule, Links
from .rows import Arrows, Interner, KnownLinks, Note, Rows, concatenate
from .trace import Trace

__all__ = [
    "OWNER_RULES",
    "Arguments",
    "Arrows",
    "Chain",
    "Counter",
    "Interner",
    "KnownLinks",
    "Lane",
    "Line",
    "LinkRule",
    "Links",
    "Note",
    "Rows",
    "Station",
    "Trace",
    "Track",
    "Wait",
    "assemble",
    "chain",
    "concatenate",
]
