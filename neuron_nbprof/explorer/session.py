"""What the reader chose for this session."""

#: Whether explorers are shown as whole pages, which need no widgets, since somebody asked with ``--embed``.
pages = False
