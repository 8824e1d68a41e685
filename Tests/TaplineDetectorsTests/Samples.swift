// SPDX-License-Identifier: MIT

import TestSupport

/// Fake secrets that are assembled at run time.
///
/// No text in this file has the form of a secret, so that scanners of code hosts find nothing.
struct Samples {
    private var source = Random(seed: 0x2545_F491_4F6C_DD1D)

    private static let digits = Array("0123456789")
    private static let smalls = Array("0123456789abcdefghijklmnopqrstuvwxyz")
    private static let capitals = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    private static let any = smalls + Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")

    /// Returns random characters of an alphabet, uniformly distributed and the same in each run.
    private mutating func random(_ alphabet: [Character], _ count: Int) -> String {
        String((0..<count).map { _ in source.pick(alphabet) })
    }

    mutating func digits(_ count: Int) -> String { random(Self.digits, count) }
    mutating func hex(_ count: Int) -> String { random(Array(Self.smalls.prefix(16)), count) }
    mutating func smalls(_ count: Int) -> String { random(Self.smalls, count) }
    mutating func capitals(_ count: Int) -> String { random(Self.capitals, count) }
    mutating func any(_ count: Int) -> String { random(Self.any, count) }
    mutating func uuid() -> String { "\(hex(8))-\(hex(4))-\(hex(4))-\(hex(4))-\(hex(12))" }

    /// Returns at least one secret for each detector of tokens, with the text before it.
    static func all() -> [(detector: String, before: String, secret: String)] {
        var make = Samples()
        return make.cloud() + make.code() + make.models() + make.services() + make.messaging()
            + make.payment() + make.monitoring()
    }

    private mutating func cloud() -> [(detector: String, before: String, secret: String)] {
        [
            ("aws_access_key", "", "AKIA" + capitals(16)),
            ("aws_access_key", "", "ASIA" + capitals(16)),
            ("aws_secret_key", "aws_secret_access_key = ", any(40)),
            ("aws_secret_key", "\"SecretAccessKey\": \"", any(38) + "/+"),
            ("aws_session_token", "AWS_SESSION_TOKEN=", any(150)),
            ("aws_session_token", "X-Amz-Security-Token: ", any(150) + "=="),
            ("aws_bedrock_key", "", "ABSK" + any(120)),
            ("aws_bedrock_key", "", "bedrock-" + "api-key-" + any(300) + "=="),
            ("google_api_key", "", "AI" + "za" + any(35)),
            ("google_oauth_token", "", "ya" + "29." + any(40)),
            ("google_oauth_token", "", "GOCSPX-" + any(28)),
            ("google_oauth_token", "", "1/" + "/0" + any(50)),
            ("firebase_server_key", "", "AAAA" + any(7) + ":APA91b" + any(134)),
            ("azure_storage_key", "AccountKey=", any(86) + "=="),
            ("azure_shared_access_key", "SharedAccessKey=", any(43) + "="),
            ("azure_sas", "https://x.blob.core.windows.net/a?sv=2024-01-01&sig=", any(43) + "%3D"),
            ("azure_client_secret", "", any(3) + "8Q~" + any(34)),
            ("azure_devops_token", "", any(76) + "AZDO" + any(4)),
            ("digitalocean_token", "", "dop_v1_" + hex(64)),
            ("heroku_key", "", "HRKU-" + any(60)),
            ("heroku_key", "HEROKU_API_KEY=", uuid()),
            ("cloudflare_origin_ca_key", "", "v1.0-" + hex(24) + "-" + hex(146)),
            ("cloudflare_token", "CLOUDFLARE_API_TOKEN: ", any(40)),
            ("fastly_token", "Fastly-Key: ", any(32)),
            ("alibaba_access_key", "", "LTAI" + any(20)),
            ("tencent_secret_id", "", "AKID" + any(32)),
            ("yandex_key", "", "AQVN" + any(36)),
            ("scaleway_access_key", "", "SCW" + capitals(17)),
            ("openshift_token", "", "sha256~" + any(43)),
            ("fly_token", "", "fo1_" + any(43)),
            ("fly_token", "", "fm1" + "r_" + any(200) + "="),
            ("fly_token", "", "fm1" + "a_" + any(140)), ("fly_token", "", "fm2" + "_" + any(400)),
            ("netlify_token", "", "nfp_" + any(36)),
            ("render_key", "", "rnd_" + any(32)),
            ("supabase_token", "", "sbp_" + hex(40)),
            ("planetscale_token", "", "pscale_tkn_" + any(43)),
            ("databricks_token", "", "dapi" + hex(32)),
            ("databricks_token", "", "dapi" + hex(32) + "-2"),
            ("pulumi_token", "", "pul-" + hex(40)),
            ("terraform_token", "", any(14) + ".atlasv1." + any(67)),
            ("vault_token", "", "hvs." + any(90)),
            ("vault_token", "", "hvb." + any(140)), ("vault_token", "", "s." + any(24)),
            ("vault_token", "X-Vault-Token: ", "s." + any(24) + "." + any(5)),
            ("clickhouse_key", "", "4b" + "1d" + any(38)),
            ("scalingo_token", "", "tk-" + "us-" + any(48)),
            ("settlemint_token", "", "sm_" + "aat_" + any(16)),
            ("settlemint_token", "", "sm_" + "pat_" + any(16)),
            ("settlemint_token", "", "sm_" + "sat_" + any(16)),
            ("infracost_key", "", "ico-" + any(32)),
            ("doppler_token", "", "dp.pt." + any(43)),
            ("onepassword_token", "", "ops_" + "eyJ" + any(240)),
            (
                "onepassword_token", "",
                "A3-\(capitals(6))-\(capitals(6))-\(capitals(5))-\(capitals(5))-\(capitals(5))-\(capitals(5))"
            ),
            ("age_key", "", "AGE-SECRET-KEY-1" + capitals(58)),
        ]
    }

    private mutating func code() -> [(detector: String, before: String, secret: String)] {
        [
            ("github_token", "", "gh" + "p_" + any(36)),
            ("github_token", "", "gh" + "o_" + any(36)),
            ("github_token", "", "gh" + "u_" + any(36)),
            ("github_token", "", "gh" + "s_" + any(36)),
            ("github_token", "", "gh" + "r_" + any(76)),
            ("github_token", "", "github_" + "pat_" + any(22) + "_" + any(59)),
            ("gitlab_token", "", "glpat-" + any(20)),
            ("gitlab_token", "", "glptt-" + hex(40)),
            ("bitbucket_token", "", "ATBB" + any(32)),
            ("atlassian_token", "", "ATATT3" + any(186) + "=" + capitals(8)),
            ("npm_token", "", "npm_" + any(36)),
            ("pypi_token", "", "pypi-" + "AgE" + any(80)),
            ("rubygems_key", "", "rubygems_" + hex(48)),
            ("crates_token", "", "cio" + any(32)),
            ("clojars_token", "", "CLOJARS_" + smalls(60)),
            ("nuget_key", "", "oy2" + smalls(43)),
            ("docker_token", "", "dckr_" + "pat_" + any(27)),
            ("artifactory_token", "", "AKCp" + any(69)),
            ("circleci_token", "", "CCIPAT_" + any(22) + "_" + hex(40)),
            ("harness_token", "", "pa" + "t." + any(22) + "." + hex(24) + "." + any(20)),
            ("harness_token", "", "sa" + "t." + any(22) + "." + any(24) + "." + any(20)),
            ("octopus_key", "", "API-" + capitals(26)),
            ("buildkite_token", "", "bkua_" + hex(40)),
            ("sourcegraph_token", "", "sgp_" + hex(40)),
            ("sourcegraph_token", "", "sgp_" + hex(16) + "_" + hex(40)),
            ("postman_key", "", "PMAK-" + hex(24) + "-" + hex(34)),
            ("launchdarkly_key", "", "sdk-" + uuid()),
            ("prefect_key", "", "pnu_" + any(36)),
            ("linear_key", "", "lin_api_" + any(40)),
            ("figma_token", "", "figd_" + any(40)),
            ("readme_key", "", "rdme_" + smalls(70)),
        ]
    }

    private mutating func models() -> [(detector: String, before: String, secret: String)] {
        [
            ("openai_key", "", "sk-" + "proj-" + any(60)), ("openai_key", "", "sk-" + any(48)),
            ("anthropic_key", "", "sk-" + "ant-api03-" + any(70)),
            ("huggingface_token", "", "hf_" + any(34)),
            ("replicate_token", "", "r8_" + any(37)),
            ("groq_key", "", "gsk_" + any(52)),
            ("perplexity_key", "", "pplx-" + any(48)),
            ("xai_key", "", "xai-" + any(80)),
            ("openrouter_key", "", "sk-or-v1-" + hex(64)),
            ("langsmith_key", "", "lsv2_pt_" + hex(32) + "_" + hex(10)),
            ("pinecone_key", "", "pcsk_" + any(60)),
            ("elevenlabs_key", "", "sk_" + hex(48)),
            ("nvidia_key", "", "nvapi-" + any(64)),
            ("wandb_key", "WANDB_API_KEY=", hex(40)),
        ]
    }

    private mutating func services() -> [(detector: String, before: String, secret: String)] {
        [
            ("notion_token", "", "ntn_" + any(46)), ("notion_token", "", "secret_" + any(43)),
            ("airtable_token", "", "pat" + any(14) + "." + hex(64)),
            ("asana_token", "", "1/" + digits(16) + ":" + hex(32)),
            ("typeform_token", "", "tfp_" + any(44)),
            ("contentful_token", "", "CFPAT-" + any(43)),
            ("okta_token", "Authorization: SSWS ", "00" + any(40)),
            ("hubspot_token", "", "pat-na1-" + uuid()),
            ("salesforce_session", "", "00D" + any(15) + "!" + any(96)),
            ("facebook_token", "", "EAA" + any(150)),
            ("facebook_token", "", digits(16) + "|" + any(27)),
            ("facebook_token", "access_token=", digits(15) + "%7C" + hex(32)),
            ("frameio_token", "", "fio-" + "u-" + any(64)),
            ("intra42_key", "", "s-s4" + "t2ud-" + hex(64)),
            ("intra42_key", "", "u-s4" + "t2ud-" + hex(64)),
            ("intra42_key", "", "s-s4" + "t2af-" + hex(64)),
            ("maxmind_key", "", any(6) + "_" + any(29) + "_m" + "mk"),
            (
                "authress_key", "",
                "sc_" + smalls(12) + "." + any(4) + ".acc_" + smalls(16) + "." + any(64) + "=="
            ),
            (
                "authress_key", "",
                "ext_" + smalls(8) + "." + any(4) + ".acc-" + smalls(12) + "." + any(40)
            ),
            ("dropbox_token", "", "sl." + any(140)),
            ("zoho_token", "", "1000." + hex(32) + "." + hex(32)),
            ("adobe_secret", "", "p8e-" + any(32)),
            ("mapbox_token", "", "sk." + "eyJ" + any(80) + "." + any(22)),
            ("algolia_key", "X-Algolia-API-Key: ", hex(32)),
            ("intercom_token", "", "dG9rOj" + any(54)),
            ("splunk_token", "Authorization: Splunk ", uuid()),
        ]
    }

    private mutating func messaging() -> [(detector: String, before: String, secret: String)] {
        [
            ("slack_token", "", "xox" + "b-" + digits(12) + "-" + digits(12) + "-" + any(24)),
            ("slack_token", "", "xapp-" + "1-A" + capitals(10) + "-" + digits(13) + "-" + hex(64)),
            ("slack_token", "", "xo" + "xa-" + any(9) + digits(3)),
            ("slack_token", "", "xo" + "xr-2-" + any(8) + digits(2)),
            ("slack_token", "", "xo" + "xb-" + digits(9) + "-" + any(18)),
            ("slack_token", "", "xo" + "xe-1-" + any(146)),
            (
                "slack_webhook", "https://hooks.slack.com/services/",
                "T" + capitals(8) + "/B" + capitals(8) + "/" + any(24)
            ),
            ("discord_token", "Authorization: Bot ", any(24) + "." + any(6) + "." + any(38)),
            ("discord_token", "DISCORD_TOKEN=", any(26) + "." + any(6) + "." + any(38)),
            (
                "discord_webhook", "https://discord.com/api/webhooks/",
                digits(18) + "/" + any(68)
            ),
            ("telegram_token", "https://api.telegram.org/bot", digits(10) + ":AA" + any(33)),
            ("telegram_token", "", digits(9) + ":AA" + any(33)),
            (
                "teams_webhook", "https://shop.webhook.office.com/webhookb2/",
                uuid() + "@" + uuid() + "/IncomingWebhook/" + hex(32)
            ),
            ("twilio_key", "", "SK" + hex(32)), ("twilio_key", "TWILIO_AUTH_TOKEN=", hex(32)),
            ("sendgrid_key", "", "SG" + "." + any(22) + "." + any(43)),
            ("mailgun_key", "", "key-" + smalls(32)),
            ("mailgun_key", "mailgun_key: ", hex(32) + "-" + hex(8) + "-" + hex(8)),
            ("mailchimp_key", "", hex(32) + "-us14"),
            ("brevo_key", "", "xkeysib-" + hex(64) + "-" + any(16)),
            ("postmark_token", "X-Postmark-Server-Token: ", uuid()),
        ]
    }

    private mutating func payment() -> [(detector: String, before: String, secret: String)] {
        [
            ("stripe_key", "", "sk_" + "live_" + any(24)),
            ("stripe_key", "", "rk_" + "test_" + any(24)),
            ("stripe_key", "", "sk_" + "prod_" + any(24)),
            ("stripe_key", "", "rk_" + "prod_" + any(24)),
            ("stripe_webhook_secret", "", "whsec_" + any(32)),
            ("square_token", "", "sq0" + "atp-" + any(22)), ("square_token", "", "EAAA" + any(60)),
            ("braintree_token", "", "access_token$production$" + smalls(16) + "$" + hex(32)),
            ("shopify_token", "", "shp" + "at_" + hex(32)),
            ("flutterwave_key", "", "FLWSECK_TEST-" + smalls(32) + "-X"),
            ("flutterwave_key", "", "FLWSECK-" + smalls(32) + "-X"),
            ("flutterwave_key", "", "FLWPUBK-" + smalls(32) + "-X"),
            ("flutterwave_key", "", "FLWPUBK_TEST-" + smalls(32) + "-X"),
            ("flutterwave_key", "", "FLWSECK_TEST-" + hex(12)),
            ("razorpay_key", "", "rzp_" + "live_" + any(14)),
            ("mollie_key", "", "live_" + any(30)),
            ("plaid_token", "", "access-production-" + uuid()),
            ("easypost_key", "", "EZAK" + any(54)),
            ("shippo_token", "", "shippo_live_" + hex(40)),
            ("duffel_token", "", "duffel_test_" + any(43)),
            ("xendit_key", "", "xnd_production_" + any(48)),
        ]
    }

    private mutating func monitoring() -> [(detector: String, before: String, secret: String)] {
        [
            ("grafana_token", "", "glsa_" + any(32) + "_" + hex(8)),
            ("grafana_token", "", "glc_" + any(80) + "=="),
            ("newrelic_key", "", "NRAK-" + capitals(27)), ("newrelic_key", "", hex(36) + "NRAL"),
            ("sentry_token", "", "sntryu_" + hex(64)),
            ("sentry_token", "", "sntrys_" + "eyJ" + any(100) + "=_" + any(43)),
            ("dynatrace_token", "", "dt0c01." + capitals(24) + "." + capitals(64)),
            ("datadog_key", "DD-API-KEY: ", hex(32)),
            ("datadog_key", "\"datadog_app_key\":\"", hex(40)),
            ("honeycomb_key", "", "hcaik_" + any(58)),
            ("posthog_key", "", "phx_" + any(47)),
            ("pagerduty_key", "Authorization: Token token=", any(20)),
            ("rollbar_token", "ROLLBAR_ACCESS_TOKEN=", hex(32)),
        ]
    }
}
