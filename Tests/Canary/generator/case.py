# SPDX-License-Identifier: MIT
"""One generated record: what is planted in it, and the register of all that make such."""

import dataclasses
import random

from generator import names, values


class Case:
    """The secrets and the harmless values of one record, as they are made."""

    def __init__(self, chance):
        self.chance = chance
        self.secrets = []
        # Values that have to stay.
        self.harmless = []

    def secret(self, alphabet="any"):
        """A fresh secret of any kind; `alphabet` says what may stand where it is put."""
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
    """A class of records: the number of a promise, the place, the form."""
    label: str
    make: object
    # `records`, `har`, or `script` where a script logs a field of it: how a record is given to Tapline.
    source: str = "records"
    # Whether only `preset: strict` promises it.
    is_strict: bool = False
    # Whether it plants harmless values alone.
    is_harmless: bool = False


@dataclasses.dataclass
class Planted:
    """A record as it is given to Tapline."""
    label: str
    record: dict
    secrets: list
    harmless: list


class Register:
    """All classes, in the order in which they were told."""

    def __init__(self):
        self.classes = []

    def add(self, label, make, **more):
        self.classes.append(Class(label, make, **more))


def planted(one, seed, number):
    """The record with this number: the same for the same seed, whatever else is generated."""
    chance = random.Random(f"{seed}/{one.label}/{number}")
    case = Case(chance)
    record = one.make(case)
    return Planted(one.label, record, case.secrets, case.harmless)
