// SPDX-License-Identifier: MIT

/// The rules of `preset: standard`.
///
/// Of fields, the last word tells: `X-Shop-Token` is a secret, `X-Token-Count` and `X-Token-Type`
/// tell something of one.
///
/// They mean the same for ever: a name that is missing goes into another preset, never in here.
/// `-`, `_` and case do not count: `api_key` is also `API-Key` and `apiKey`.
enum StandardPreset {
    static let headers = [
        "Authorization", "Proxy-Authorization", "Authentication-Info",
        "Proxy-Authentication-Info", "X-Authorization", "X-Forwarded-Authorization",
        "X-Original-Authorization", "X-API-Key", "API-Key", "X-API-Token", "API-Token",
        "X-API-Secret", "X-Auth", "X-Auth-Key", "X-Auth-Token", "Auth-Token", "X-Access-Token",
        "Access-Token", "X-Refresh-Token", "X-ID-Token", "X-Token", "X-Secret", "X-Client-Secret",
        "X-Password", "X-Access-Code", "X-Session", "X-Sid", "X-Session-ID", "X-Session-Token",
        "X-CSRF-Token", "CSRF-Token",
        "X-XSRF-Token", "XSRF-Token", "Private-Token", "Job-Token", "Deploy-Token", "DPoP",
        "X-Amz-Security-Token", "X-Amzn-OIDC-Data", "X-Amzn-OIDC-AccessToken", "X-Goog-API-Key",
        "X-Goog-IAP-JWT-Assertion", "X-Functions-Key", "Ocp-Apim-Subscription-Key",
        "X-MS-Client-Principal", "X-RapidAPI-Key", "X-Vault-Token", "X-Consul-Token",
        "X-GitHub-Token", "X-Gitlab-Token", "X-Shopify-Access-Token",
        "X-Shopify-Storefront-Access-Token", "X-Firebase-AppCheck", "X-Parse-Session-Token",
        "X-Parse-Master-Key", "CF-Access-JWT-Assertion", "CF-Access-Client-Secret",
        "X-Forwarded-Access-Token", "X-Forwarded-ID-Token", "Token", "Secret", "Password",
        "*-Token", "*-Secret", "*-Password", "*-Passwd", "*-Passphrase", "*-API-Key", "*-APIKey",
        "*-Access-Key", "*-Secret-Key", "*-Private-Key", "*-Session-ID", "*-Authorization", "*-JWT",
        "*-Pwd", "*-OTP", "*-PIN",
    ]

    /// Fields whose values hold cookies; as names in JSON, and in text, their whole values go.
    static let cookieFields = ["Cookie", "Set-Cookie", "Cookie2", "Set-Cookie2"]

    /// Of Cookie and Set-Cookie all values; names and attributes stay.
    static let cookies = ["*"]

    /// Names in queries, forms, JSON, tags and text.
    static let names = [
        "password", "passwd", "*password*", "*passwd*", "passphrase", "passcode", "pwd",
        "user_pass", "secret",
        "client_secret", "app_secret", "api_secret", "consumer_secret", "shared_secret",
        "secret_key", "webhook_secret", "signing_secret", "token", "*token", "access_token",
        "refresh_token", "id_token", "auth_token", "api_token", "bearer_token", "session_token",
        "csrf_token", "xsrf_token", "csrf", "xsrf", "csrfmiddlewaretoken", "authenticity_token",
        "request_verification_token", "oauth_token", "oauth_token_secret", "oauth_verifier",
        "oauth_signature", "device_token", "push_token", "security_token", "user_token",
        "login_token", "reset_token", "verification_token", "invite_token", "jwt", "jwt_token",
        "assertion", "client_assertion", "saml_response", "saml_request", "code_verifier",
        "device_code", "api_key", "x_api_key", "app_key", "access_key", "access_key_id",
        "secret_access_key", "aws_access_key_id", "aws_secret_access_key", "aws_session_token",
        "account_key", "subscription_key", "private_key", "encryption_key", "signing_key",
        "master_key", "license_key", "auth_key", "authorization", "proxy_authorization", "bearer",
        "credential", "credentials", "session_id", "session_key", "sessid", "sid", "jsessionid",
        "phpsessid", "asp.net_sessionid", "connect.sid", "otp", "otp_code", "totp", "totp_code",
        "mfa_code", "two_factor_code", "verification_code", "recovery_code", "backup_code", "pin",
        "pin_code", "cvv", "cvv2", "cvc", "card_cvc", "security_code",
    ]

    /// Names that end like that of a secret, and are none: places in lists, which the next request
    /// sends back, and characters of languages.
    static let harmlessTokens = [
        "page_token", "next_page_token", "prev_page_token", "previous_page_token", "next_token",
        "previous_token", "prev_token", "continuation_token", "next_continuation_token",
        "sync_token", "next_sync_token", "cursor_token", "resume_token", "starting_token",
        "pagination_token",
        "bos_token", "eos_token", "pad_token", "unk_token", "sep_token", "cls_token", "mask_token",
    ]

    /// Names in queries and forms only, since elsewhere they are common words.
    static let formNames = [
        "pass", "session", "code", "auth", "key", "ticket", "sig", "signature",
        "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "X-Goog-Signature",
        "X-Goog-Credential", "hub.verify_token", "SAMLart",
    ]
}
