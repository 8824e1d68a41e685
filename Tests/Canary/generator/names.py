# SPDX-License-Identifier: MIT
"""Names of secrets: those that the README lists and variants of them; and names that look similar."""

# Names that `preset: standard` lists for every place except header fields.
KNOWN = (
    "password passwd passphrase passcode pwd secret client_secret app_secret api_secret consumer_secret shared_secret "
    "secret_key webhook_secret signing_secret token access_token refresh_token id_token auth_token api_token "
    "bearer_token session_token csrf_token xsrf_token authenticity_token oauth_token oauth_token_secret device_token "
    "push_token security_token user_token login_token reset_token verification_token invite_token jwt jwt_token "
    "api_key app_key access_key secret_access_key aws_secret_access_key aws_session_token account_key "
    "subscription_key private_key encryption_key signing_key master_key license_key auth_key credential credentials "
    "session_id session_key sessid otp totp_code mfa_code two_factor_code verification_code recovery_code "
    "backup_code cvv security_code").split()
# Names that lists of hyphenated names did not cover.
ISSUE = (
    "openai_api_key OPENAI_API_KEY JWT_SECRET github_client_secret db_private_key secret_key_base my_access_key "
    "ssh_passphrase db_pwd user_otp app_jwt mySecret pass passwd pwd auth.pass secrets tokens apiKeys accessTokens "
    "SecretString tokenValue api_key_v2 secret2 X-Api-Token-1").split()
# Words at the end of a name that identify a secret, whatever words precede them.
CORES = (
    "password passwd pwd pass passphrase passcode secret client_secret token access_token refresh_token auth_token "
    "api_key api_token access_key secret_key private_key encryption_key signing_key jwt otp credentials").split()
PLURALS = (
    "passwords secrets client_secrets tokens access_tokens refresh_tokens api_keys api_tokens access_keys "
    "secret_keys private_keys passphrases credentials").split()
PREFIXES = (
    "openai github gitlab db database my app user admin prod staging aws stripe slack smtp redis mongo service "
    "new old current x backend internal customer vendor acme proxy ssh ldap default main root web mobile").split()
SUFFIXES = "value string text data bin v2 v1 1 2".split()

STYLES = {
    "snake": "_".join,
    "kebab": "-".join,
    "dotted": ".".join,
    "screaming": lambda words: "_".join(words).upper(),
    "camel": lambda words: words[0] + "".join(word.capitalize() for word in words[1:]),
    "pascal": lambda words: "".join(word.capitalize() for word in words),
    "train": lambda words: "-".join(word.capitalize() for word in words),
    "blanks": " ".join,
}
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad"


def known(chance):
    """A listed name, in any style."""
    words = chance.choice(KNOWN).split("_")
    return STYLES[chance.choice(("snake", "kebab", "camel", "pascal", "screaming"))](words)


def issue(chance):
    return chance.choice(ISSUE)


def prefixed(style):
    def make(chance):
        words = [chance.choice(PREFIXES)] + chance.choice(CORES).split("_")
        if chance.random() < 0.2:
            words.insert(0, chance.choice(PREFIXES))
        return STYLES[style](words)
    return make


def plural(chance):
    words = chance.choice(PLURALS).split("_")
    if chance.random() < 0.4:
        words.insert(0, chance.choice(PREFIXES))
    return STYLES[chance.choice(("snake", "kebab", "camel", "pascal", "screaming"))](words)


def suffixed(chance):
    words = chance.choice(CORES).split("_") + [chance.choice(SUFFIXES)]
    if chance.random() < 0.3:
        words.insert(0, chance.choice(PREFIXES))
    if words[-1].isdigit() and chance.random() < 0.5:
        words[-2:] = [words[-2] + words[-1]]
    return STYLES[chance.choice(("snake", "kebab", "camel", "pascal", "screaming"))](words)


def wide(chance):
    """Full-width letters (U+FF01 to U+FF5E), which NFKC folds to ASCII."""
    name = chance.choice(("password", "secret", "api_key", "access_token", "passphrase"))
    return "".join(chr(ord(letter) + 0xFEE0) if letter != "_" or chance.random() < 0.5 else letter for letter in name)


def zero_width(chance):
    """A zero-width character within the name."""
    name = chance.choice(("password", "secret", "api_key", "access_token", "apiKey", "my_secret"))
    place = chance.randrange(1, len(name))
    return name[:place] + chance.choice(ZERO_WIDTH) + name[place:]


def nested(chance):
    """A name within another, as in forms and configurations."""
    name = known(chance)
    return chance.choice(("user[{}]", "auth.{}", "a[b][{}]", "config.auth.{}", "{}[0]", "user[{}][]")).format(name)


# The forms of names, by their label in classes.
FORMS = {
    "known": known,
    "issue": issue,
    **{style: prefixed(style) for style in STYLES},
    "plural": plural,
    "suffixed": suffixed,
    "wide": wide,
    "zero-width": zero_width,
    "nested": nested,
}
# Forms that are one word in text: neither names with blanks nor brackets are promised in text.
TEXT_FORMS = ("known", "issue", "snake", "kebab", "dotted", "screaming", "camel", "pascal", "plural", "suffixed")
FIELD_FORMS = ("known", "train", "kebab", "snake", "screaming", "plural", "suffixed")


def simple(chance):
    """A name that every version recognizes, for classes that do not vary the name."""
    return chance.choice((
        "password", "secret", "token", "api_key", "apiKey", "access_token", "client_secret", "API_KEY", "passwd",
        "refresh_token", "api-key", "accessToken", "clientSecret"))


# MARK: Harmless names

# Names that only look like those of secrets: every text under them must be kept.
LOOK_ALIKE = (
    "keyboard monkey_id tokenizer primary_key passenger passenger_name compass bypass_reason passage passport_country "
    "secretary secretariat keynote turkey donkey hockey keyword keywords foreign_key sort_key partition_key cache_key "
    "public_key hotkey key_id author authority authored_by tokenizer_name token_type tokenization opinion spinner "
    "shipping pinned_by pinterest happiness inside residence sidebar considered cryptocurrency decoder codec "
    "postal_code zip_code country_code status_code error_code encoding laptop desktop autopilot mockup topic "
    "passive surpass encompass trespass sandpaper occasion assertion_type signatory designation "
    "sessions_page next_page_token nextPageToken page_token eos_token bos_token pad_token "
    "monkeyId primaryKey cacheKey keyboardLayout tokenizerName passengerList").split()
# Names of secrets under which a number or a boolean describes secrets, but is none.
COUNTED = (
    "tokens total_tokens max_tokens prompt_tokens completion_tokens tokens_used token_count secrets passwords "
    "password_length password_count credentials api_keys").split()
FLAGGED = (
    "pass password secret token has_password is_secret otp jwt api_key credentials require_otp "
    "password_required token_valid").split()
