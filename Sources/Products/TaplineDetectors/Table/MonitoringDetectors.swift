// SPDX-License-Identifier: MIT

extension DetectorTable {
    /// Monitoring services.
    static let monitoring: [Detector] = [
        Detector(
            "grafana_token",
            .monitoring,
            "Grafana token or key",
            [
                .token("glsa_", .init(.alphanumeric, 32), "_", .init(.anyHex, 8)),
                .token("glc_", .init(.base64, 32...400), .init(.equals, 0...2)),
                .token("eyJrIjoi", .init(.base64, 60...400), .init(.equals, 0...2)),
            ]
        ),
        Detector(
            "newrelic_key",
            .monitoring,
            "New Relic key",
            [
                .token("NRAK-", .init(.capitals, 27)), .token("NRJS-", .init(.hex, 19)),
                .token("NRII-", .init(.base64URL, 32)), .token("NRIQ-", .init(.base64URL, 32)),
                .around("NRAL", lead: .init(.hex, 36)),
            ]
        ),
        Detector(
            "sentry_token",
            .monitoring,
            "Sentry token",
            [
                .token(
                    "sntrys_eyJ",
                    .init(.anyBase64, 60...500),
                    .init(.equals, 0...2),
                    .init(.anyBase64, 0...100)
                ),
                .token("sntryu_", .init(.hex, 64)),
            ]
        ),
        Detector(
            "dynatrace_token",
            .monitoring,
            "Dynatrace token",
            Form.tokens(
                ["dt0c01.", "dt0s01.", "dt0s02.", "dt0s16."],
                .init(.capitals, 8...24),
                ".",
                .init(.capitals, 64)
            )
        ),
        Detector(
            "datadog_key",
            .monitoring,
            "Datadog key, after its name",
            Form.values(
                of: ["datadog", "dd-api-key", "dd_api_key", "dd_app_key", "dd-application-key"],
                .init(.hex, 32...40)
            )
        ),
        Detector(
            "honeycomb_key",
            .monitoring,
            "Honeycomb ingest key",
            Form.tokens(["hcaik_", "hcbik_", "hcxik_"], .init(.alphanumeric, 40...64))
        ),
        Detector(
            "posthog_key",
            .monitoring,
            "PostHog personal API key",
            [.token("phx_", .init(.alphanumeric, 40...60))]
        ),
        Detector(
            "pagerduty_key",
            .monitoring,
            "PagerDuty API key",
            [.after("Token token=", .init(.base64URL, 20...32), entropy: 3)]
        ),
        Detector(
            "rollbar_token",
            .monitoring,
            "Rollbar token, after its name",
            Form.values(of: ["rollbar"], .init(.hex, 32))
        ),
    ]
}
