# SPDX-License-Identifier: MIT
"""One generated record with its planted values, and the register of all generators."""

import dataclasses
import random

from generator import names, values


class Case:
    """The secrets and the harmless values of one record, as they are generated."""

    def __init__(self, chance):
        self.chance = chance
        self.secrets = []
        # Values that must be kept.
        self.harmless = []

    def secret(self, alphabet="any"):
        """A fresh secret of any kind; `alphabet` sets the characters allowed at its place."""
        one = values.make(self.chance, alphabet)
        self.secrets.append(one)
        return one.value

    def secret_of(self, kind, alphabet="any"):
        """A fresh secret of one kind, a function of `values`."""
        one = kind(self.chance, alphabet)
        self.secrets.append(one)
        return one.value

    def kept(self):
        """A fresh harmless word."""
        one = values.word(self.chance, 11)
        self.harmless.append(one)
        return one

    def name(self):
        return names.simple(self.chance)

    def pick(self, *choices):
        return self.chance.choice(choices)


@dataclasses.dataclass(frozen=True)
class Class:
    """A class of records: the number of a promise, the place, the notation."""
    label: str
    make: object
    # How a record is passed to Tapline: `records`, `har`, or `script` if a script logs one of its fields.
    source: str = "records"
    # Whether only `preset: strict` promises to mask it.
    is_strict: bool = False
    # Whether it plants only harmless values.
    is_harmless: bool = False


@dataclasses.dataclass
class Planted:
    """A record as it is passed to Tapline."""
    label: str
    record: dict
    secrets: list
    harmless: list


class Register:
    """All classes, in the order of their registration."""

    def __init__(self):
        self.classes = []

    def add(self, label, make, **more):
        self.classes.append(Class(label, make, **more))


def planted(one, seed, number):
    """Returns the record with this number, which depends only on the seed."""
    chance = random.Random(f"{seed}/{one.label}/{number}")
    case = Case(chance)
    record = one.make(case)
    return Planted(one.label, record, case.secrets, case.harmless)
