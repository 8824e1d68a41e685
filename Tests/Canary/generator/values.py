# SPDX-License-Identifier: MIT
"""Values of secrets that no detector recognizes by their format, and the parts that are searched."""

import string

LETTERS = string.ascii_letters
VOWELS, CONSONANTS = "aeiou", "bdfgklmnprstvz"
# The characters allowed in a value, by the place of the value.
ALPHABETS = {
    "token": "-_.~",
    "bare": "-_.~+/!#%*$^@",
    "quoted": "-_.~+/!#%*$^@ ,;&:=()[]{}|?",
    "any": "-_.~+/!#%*$^@ ,;&:=()[]{}|?\"'`\\<>äß€",
}


def core(chance, length):
    """Letters and digits that begin with a letter. Pure hexadecimal digits are avoided, and so are words, which
    are kept after `bearer` in prose."""
    while True:
        text = chance.choice("GHJKMNPQRSTUVWXYZ") + "".join(
            chance.choice(LETTERS + string.digits) for _ in range(length - 1))
        if not text[1:].islower() and not text.isupper():
            return text


def word(chance, length=9):
    """A text that reads like a word but is in no dictionary."""
    return "".join(chance.choice((CONSONANTS, VOWELS)[place % 2]) for place in range(length))


class Secret:
    """A value, and its parts: each part that is found is a leak."""

    def __init__(self, value, parts):
        self.value, self.parts = value, parts

    def __str__(self):
        return self.value


def letters(chance, _):
    one = core(chance, chance.randrange(10, 25))
    return Secret(one, [one])


def short(chance, _):
    one = core(chance, 7)
    return Secret(one, [one])


def long(chance, _):
    one = core(chance, chance.randrange(60, 200))
    return Secret(one, [one])


def digits(chance, _):
    one = chance.choice("123456789") + "".join(chance.choice(string.digits) for _ in range(9))
    return Secret(one, [one])


def words(chance, _):
    parts = [word(chance), word(chance)]
    return Secret(chance.choice("-._").join(parts), parts)


def special(chance, alphabet):
    """Two cores, separated by characters that differ between notations."""
    parts = [core(chance, 8), core(chance, 8)]
    between = "".join(chance.choice(ALPHABETS[alphabet]) for _ in range(chance.randrange(1, 4)))
    end = chance.choice(("", "", "!", "=", "==")) if alphabet != "token" else ""
    return Secret(parts[0] + between + parts[1] + end, parts)


def spaced(chance, alphabet):
    """Words with blanks; if blanks end a value, other characters separate the words."""
    if alphabet not in ("quoted", "any"):
        return special(chance, alphabet)
    parts = [word(chance), core(chance, 8), word(chance)]
    return Secret(" ".join(parts), parts)


KINDS = (letters, letters, short, long, digits, words, special, special, spaced)


def make(chance, alphabet="any"):
    """Returns a fresh secret of any kind that a place with this alphabet allows."""
    return chance.choice(KINDS)(chance, alphabet)
