"""The headings and links that tables of all sections share."""

HEADINGS = ["topic", "in the document", "here", "result here"]


def decks(*names):
    return ", ".join(f"[{name}](../decks/{name}.yaml)" for name in names)


def file(path, words=None):
    return f"[{words or path.rsplit('/', 1)[-1]}](../{path})"
