// SPDX-License-Identifier: MIT

/// The rules of `preset: standard`.
///
/// They mean the same for ever: a name that is missing goes into another preset, never in here.
/// `-`, `_` and case do not count: `apikey` is also `API-Key` and `api_key`.
enum StandardPreset {
    static let headers = [
        "Authorization", "Proxy-Authorization", "Authentication-Info",
        "Proxy-Authentication-Info", "X-Authorization", "X-Forwarded-Authorization",
        "X-Original-Authorization", "X-API-Key", "API-Key", "X-API-Token", "X-API-Secret",
        "API-Token", "X-Auth", "X-Auth-Key", "X-Auth-Token", "Auth-Token", "X-Access-Token",
        "Access-Token", "X-Refresh-Token", "X-ID-Token", "X-Token", "X-Secret",
        "X-Client-Secret", "X-Password", "X-Session-ID", "X-Session-Token", "X-CSRF-Token",
        "X-CSRFToken", "CSRF-Token", "X-XSRF-Token", "XSRF-Token", "Private-Token", "Job-Token",
        "Deploy-Token", "X-Amz-Security-Token", "X-Goog-API-Key", "X-Goog-IAP-JWT-Assertion",
        "X-Functions-Key", "Ocp-Apim-Subscription-Key", "X-RapidAPI-Key", "X-Vault-Token",
        "X-Consul-Token", "X-Kubernetes-Token", "X-Shopify-Access-Token",
        "X-Shopify-Storefront-Access-Token", "X-GitHub-Token", "X-Gitlab-Token",
        "X-Slack-Signature", "X-Hub-Signature", "X-Hub-Signature-256", "Stripe-Signature",
        "X-Twilio-Signature", "X-Firebase-AppCheck", "CF-Access-JWT-Assertion",
        "CF-Access-Client-Secret", "X-Parse-Session-Token", "X-Parse-Master-Key", "DPoP",
        "Sec-WebSocket-Protocol-Token", "X-MS-Client-Principal", "X-Amzn-OIDC-Data",
        "X-Amzn-OIDC-AccessToken", "X-Forwarded-Access-Token", "X-Forwarded-ID-Token",
    ]

    /// Of Cookie and Set-Cookie all values; names and attributes stay.
    static let cookies = ["*"]

    /// Names in queries, forms, JSON, tags and text.
    static let names = [
        "password", "passwd", "passphrase", "pass", "pwd", "user_password", "login_password",
        "new_password", "old_password", "current_password", "password_confirmation",
        "confirm_password", "password_confirm", "repeat_password", "password1", "password2",
        "password_hash", "password_reset_token", "reset_password_token", "reset_token",
        "secret", "client_secret", "app_secret", "api_secret", "consumer_secret", "shared_secret",
        "secret_key", "webhook_secret", "signing_secret", "token", "access_token",
        "refresh_token", "id_token", "auth_token", "api_token", "bearer_token", "session_token",
        "csrf_token", "xsrf_token", "csrf", "xsrf", "csrfmiddlewaretoken", "authenticity_token",
        "request_verification_token", "oauth_token", "oauth_token_secret", "oauth_verifier",
        "oauth_signature", "device_token", "push_token", "security_token", "user_token",
        "login_token", "verification_token", "invite_token", "jwt", "jwt_token", "assertion",
        "client_assertion", "saml_response", "saml_request", "code_verifier", "device_code",
        "api_key", "x_api_key", "app_key", "access_key", "access_key_id", "secret_access_key",
        "aws_access_key_id", "aws_secret_access_key", "aws_session_token", "account_key",
        "subscription_key", "private_key", "encryption_key", "signing_key", "master_key",
        "license_key", "auth_key", "authorization", "proxy_authorization", "bearer",
        "credential", "credentials", "session", "session_id", "session_key", "sessid", "sid",
        "jsessionid", "phpsessid", "asp.net_sessionid", "connect.sid", "otp", "otp_code", "totp",
        "totp_code", "mfa_code", "two_factor_code", "verification_code", "recovery_code",
        "backup_code", "pin", "pin_code", "cvv", "cvc", "cvv2", "card_cvc", "security_code",
    ]

    /// What is a secret in a query or a form, but too common a word elsewhere.
    static let formNames = [
        "code", "auth", "key", "sig", "signature", "X-Amz-Signature", "X-Amz-Credential",
        "X-Amz-Security-Token", "X-Goog-Signature", "X-Goog-Credential", "GoogleAccessId",
        "AWSAccessKeyId", "hub.verify_token", "ticket", "SAMLart", "RelayState", "nonce_token",
    ]
}
