# SPDX-License-Identifier: MIT
"""The text of the inspector's modules as it is sent."""

import re


def without_comments(text):
    """Leaves out comments with lines of their own, unless a text of several lines could have them."""
    if any(len(re.findall(r"(?<!\\)`", line)) % 2 for line in text.split("\n")):
        return text
    text = re.sub(r"^[ \t]*/\*(?:(?!\*/)[\s\S])*\*/[ \t]*\n", "", text, flags=re.M)
    text = re.sub(r"^[ \t]*//.*\n", "", text, flags=re.M)
    text = re.sub(r"^ +", lambda found: " " * (len(found[0]) // 4), text, flags=re.M)
    return re.sub(r"\n{2,}", "\n", text)
