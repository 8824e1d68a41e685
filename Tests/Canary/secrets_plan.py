# SPDX-License-Identifier: MIT
"""The planted secrets: their values, the rules that mask them, and their places."""

import dataclasses
import random
import string

import codings

LETTERS = string.ascii_letters + string.digits
# The values for rules by name: parts of them differ between encodings.
ODD = ("", "", "", "+/=", " &;", "%25", "\"'", "\\", "äß", "<>", "@:")

# The rules by name in a pipeline, each of which is switched off once.
NAMED = {
    "headers": ["x-canary-alpha", "x-canary-beta", "x-canary-many-*"],
    "cookies": ["canary_cookie_a", "canary_cookie_b"],
    "query": ["canary_query_a", "canary_query_b"],
    "form": ["canary_form_a", "canary_form_b"],
    "json": ["canary_json_a", "canary_json_b", "$.canary.deep[*].path"],
}


@dataclasses.dataclass(frozen=True)
class Secret:
    id: int
    rule: str
    where: str
    value: str
    # Whether any sink would show it if the rule were off.
    is_stored: bool = True


class Forms:
    """Creates values that detectors recognize."""

    def __init__(self, chance):
        self.chance = chance

    def letters(self, count, alphabet=LETTERS):
        return "".join(self.chance.choice(alphabet) for _ in range(count))

    def card(self):
        digits = "4539" + self.letters(11, string.digits)
        total = 0
        for place, digit in enumerate(reversed(digits)):
            number = int(digit) * (2 if place % 2 == 0 else 1)
            total += number - 9 if number > 9 else number
        return digits + str(-total % 10)

    def iban(self):
        account = self.letters(18, string.digits)
        return f"DE{98 - int(account + '131400') % 97:02d}{account}"

    def jwt(self):
        return codings.jwt({"sub": self.letters(12), "n": self.chance.randrange(1 << 30)})

    def make(self, name):
        hexes = "0123456789abcdef"
        forms = {
            "github_token": lambda: "ghp_" + self.letters(36),
            "gitlab_token": lambda: "glpat-" + self.letters(20),
            "npm_token": lambda: "npm_" + self.letters(36),
            "aws_access_key": lambda: "AKIA" + self.letters(16, string.ascii_uppercase + "234567"),
            "google_api_key": lambda: "AIza" + self.letters(35),
            "stripe_key": lambda: "sk_live_" + self.letters(24),
            "slack_token": lambda: "xoxb-" + "-".join(
                (self.letters(11, string.digits), self.letters(12, string.digits), self.letters(24))),
            "sendgrid_key": lambda: "SG." + self.letters(22) + "." + self.letters(43),
            "openai_key": lambda: "sk-proj-" + self.letters(48),
            "anthropic_key": lambda: "sk-ant-api03-" + self.letters(80),
            "huggingface_token": lambda: "hf_" + self.letters(34),
            "digitalocean_token": lambda: "dop_v1_" + self.letters(64, hexes),
            "shopify_token": lambda: "shpat_" + self.letters(32, hexes),
            "email": lambda: f"{self.letters(9, string.ascii_lowercase)}@{self.letters(8, string.ascii_lowercase)}-post.net",
            "card_number": self.card,
            "iban": self.iban,
            "jwt": self.jwt,
        }
        return forms[name]() if name else sorted(forms)


DETECTORS = Forms(None).make(None)


class Plan:
    """All secrets, in the order in which they were planted; they depend only on the seed."""

    def __init__(self, seed=20261120):
        self.chance = random.Random(seed)
        self.forms = Forms(self.chance)
        self.secrets = []

    def _add(self, rule, where, value, is_stored):
        self.secrets.append(Secret(len(self.secrets) + 1, rule, where, value, is_stored))
        return value

    def named(self, rule, where, alphabet="any", is_stored=True):
        """Returns a secret that only its name identifies; `alphabet` sets the characters allowed at its place."""
        odd = {"any": ODD, "token": ("",), "field": ("", "+/=", " &", "%25", "@:")}[alphabet]
        number = len(self.secrets) + 1
        value = f"Cn{number:04d}{self.forms.letters(7)}{self.chance.choice(odd)}{self.forms.letters(9)}"
        return self._add(rule, where, value, is_stored)

    def formed(self, where, detector=None, is_stored=True):
        """Returns a secret that its format identifies."""
        name = detector or DETECTORS[len(self.secrets) % len(DETECTORS)]
        return self._add(f"detector {name}", where, self.forms.make(name), is_stored)

    def of(self, rule):
        return [secret for secret in self.secrets if secret.rule == rule]

    @property
    def rules(self):
        return sorted({secret.rule for secret in self.secrets})
