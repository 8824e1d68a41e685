// SPDX-License-Identifier: MIT

/// The rules of `preset: standard`.
///
/// Names are phrases: a name belongs to a secret if it ends with one of them (`PhraseTable`). Later
/// versions may add phrases, which the changelog lists.
enum StandardPreset {
    /// Fields with secrets whose names do not end with any of the phrases.
    static let fields = [
        "Authentication-Info", "Proxy-Authentication-Info", "X-Auth", "X-Access-Code", "X-Session",
        "X-Sid", "DPoP", "X-Amzn-OIDC-Data", "X-Functions-Key", "X-MS-Client-Principal",
        "X-Firebase-AppCheck",
    ]

    /// Fields whose values contain cookies; as names in JSON and text, their whole values are
    /// redacted.
    static let cookieFields = ["Cookie", "Set-Cookie", "Cookie2", "Set-Cookie2"]

    /// All values of Cookie and Set-Cookie; names and attributes stay.
    static let cookies = ["*"]

    /// Texts that make a name that of a secret, wherever they are in it.
    static let parts = ["*password*", "*passwd*", "*passphrase*"]

    /// Last words of names whose values may be a few digits.
    static let shortSecrets = [
        "password", "passwd", "passphrase", "passcode", "pass_code", "pwd", "user_pass", "passwort",
        "kennwort", "mot_de_passe", "contrasena", "contraseña", "senha", "wachtwoord", "otp",
        "otp_code", "totp", "totp_code", "mfa_code", "two_factor_code", "2fa_code",
        "verification_code", "recovery_code", "backup_code", "device_code", "pin", "pin_code",
        "cvv",
        "cvv2", "cvc", "cvc2", "card_cvc", "security_code", "one_time_code", "sms_code",
    ]

    /// Last words of names whose values are secrets, except for flags and counts.
    static let names = [
        "pass", "passkey", "secret", "client_secret", "app_secret", "api_secret", "consumer_secret",
        "shared_secret", "secret_key", "secret_key_base", "secret_id", "webhook_secret",
        "signing_secret", "token", "access_token", "refresh_token", "id_token", "id_token_hint",
        "auth_token", "api_token", "bearer_token", "session_token", "csrf_token", "xsrf_token",
        "csrf", "xsrf", "csrfmiddlewaretoken", "authenticity_token", "request_verification_token",
        "oauth_token", "oauth_token_secret", "oauth_verifier", "oauth_signature", "device_token",
        "push_token", "security_token", "user_token", "login_token", "reset_token",
        "verification_token", "invite_token", "jwt", "jwt_token", "jwt_assertion",
        "client_assertion", "saml_response", "saml_request", "saml_assertion", "code_verifier",
        "github_pat", "gitlab_pat", "api_key", "x_api_key", "app_key", "access_key",
        "access_key_id", "shared_access_key", "secret_access_key", "aws_access_key_id",
        "aws_secret_access_key", "aws_session_token", "account_key", "storage_key",
        "subscription_key", "private_key", "encryption_key", "decryption_key", "signing_key",
        "master_key", "license_key", "auth_key", "admin_key", "root_key", "service_key",
        "server_key", "shared_key", "deploy_key", "consumer_key", "integration_key", "ssh_key",
        "gpg_key", "pgp_key", "rsa_key", "aes_key", "hmac_key", "symmetric_key", "recovery_key",
        "host_key", "authorization", "proxy_authorization", "basic_auth", "bearer", "credential",
        "credentials", "session_id", "session_key", "session_cookie", "auth_cookie", "sessid",
        "jsessionid", "phpsessid", "asp.net_sessionid", "mnemonic", "seed_phrase",
        "recovery_phrase", "psk", "pre_shared_key", "creds", "auth_code", "authorization_code",
        "auth_header", "secret_hash", "private_key_pem", "client_key_data", "application_key",
        "registry_auth", "dockerconfigjson",
    ]

    /// Phrases that also match at the end of a longer word: `slacktoken`, `myapikey`.
    static let suffixPhrases: Set<String> = [
        "token", "secret", "api_key", "access_key", "private_key", "secret_key", "session_id",
        "sessid", "pwd", "passcode", "authorization",
    ]

    /// Names of secrets only if they are the whole name: `account_sid` is not a match.
    static let wholeNames = ["sid", "connect.sid", "assertion"]

    /// Names that end like that of a secret but are harmless: positions in lists, which the next
    /// request sends back, characters of languages and counts of them, flags.
    static let harmless = [
        "page_token", "next_page_token", "prev_page_token", "previous_page_token", "next_token",
        "previous_token", "prev_token", "continuation_token", "next_continuation_token",
        "sync_token", "next_sync_token", "cursor_token", "resume_token", "starting_token",
        "pagination_token",
        "bos_token", "eos_token", "pad_token", "unk_token", "sep_token", "cls_token", "mask_token",
        "max_tokens", "min_tokens", "num_tokens", "total_tokens", "prompt_tokens",
        "completion_tokens", "input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens",
        "thinking_tokens", "remaining_tokens", "max_new_tokens",
        "allow_credentials", "with_credentials", "public_key_pins", "pins",
    ]

    /// Names in queries and forms only, since elsewhere they are common words.
    static let formNames = [
        "session", "code", "auth", "key", "ticket", "sig", "signature",
        "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "X-Goog-Signature",
        "X-Goog-Credential", "hub.verify_token", "SAMLart",
    ]

    /// Words at the end of a name that only qualify the words before them.
    static let qualifiers = [
        "value", "string", "text", "data", "bin", "binary", "raw", "plain", "plaintext", "hex",
        "base64", "encoded", "old", "new", "prod", "production", "live", "staging", "dev", "test",
        "sandbox",
    ]
}
