// SPDX-License-Identifier: MIT

extension DetectorTable {
    /// Other services with HTTP APIs.
    static let services: [Detector] = [
        Detector(
            "notion_token",
            .services,
            "Notion token",
            [
                .token("ntn_", .init(.alphanumeric, 40...50)),
                .token("secret_", .init(.alphanumeric, 43), entropy: 3.5),
            ]
        ),
        Detector(
            "airtable_token",
            .services,
            "Airtable token",
            [.token("pat", .init(.alphanumeric, 14), ".", .init(.hex, 64))]
        ),
        Detector(
            "asana_token",
            .services,
            "Asana token",
            [.token("1/", .init(.digits, 15...17), ":", .init(.hex, 32))]
                + [
                    .token(
                        "2/",
                        .init(.digits, 15...17),
                        "/",
                        .init(.digits, 15...17),
                        ":",
                        .init(.hex, 32)
                    )
                ]
        ),
        Detector(
            "typeform_token",
            .services,
            "Typeform token",
            [.token("tfp_", .init(.dotted, 40...64))]
        ),
        Detector(
            "contentful_token",
            .services,
            "Contentful token",
            [.token("CFPAT-", .init(.base64URL, 43))]
        ),
        Detector(
            "okta_token",
            .services,
            "Okta API token",
            [.after("SSWS ", .init(.base64URL, 40...50))]
        ),
        Detector(
            "hubspot_token",
            .services,
            "HubSpot token",
            ["pat-na1-", "pat-na2-", "pat-eu1-", "pat-ap1-"].map { .token(Token($0, Segment.uuid)) }
        ),
        Detector(
            "salesforce_session",
            .services,
            "Salesforce session ID",
            [.token("00D", .init(.alphanumeric, 12...15), "!", .init(.dotted, 80...150))]
        ),
        Detector(
            "facebook_token",
            .services,
            "Facebook or Instagram token",
            [
                .token("EAA", .init(.alphanumeric, 80...300), entropy: 4),
                .token("IGQV", .init(.base64URL, 100...300), entropy: 4),
                .shape(.facebookApp),
            ]
        ),
        Detector(
            "frameio_token",
            .services,
            "Frame.io API token",
            [.token("fio-u-", .init(.base64URL, 64))]
        ),
        Detector(
            "intra42_key",
            .services,
            "Identifier or secret of a 42 intranet application",
            Form.tokens(
                ["s-s4t2ud-", "s-s4t2af-", "u-s4t2ud-", "u-s4t2af-"],
                .init(.hex, 64)
            )
        ),
        Detector(
            "maxmind_key",
            .services,
            "MaxMind license key",
            [.token(Token("_mmk", [], lead: .init(.word, 36), entropy: 4))]
        ),
        Detector(
            "authress_key",
            .services,
            "Authress service client access key",
            Form.tokens(
                ["sc_", "ext_", "scauth_", "authress_"],
                .init(.alphanumeric, 5...30),
                ".",
                .init(.alphanumeric, 4...6),
                ".acc",
                .init(.dashOrLine, 1),
                .init(.dashed, 10...32),
                ".",
                .init(.anyBase64, 30...120),
                .init(.equals, 0...2)
            )
        ),
        Detector(
            "dropbox_token",
            .services,
            "Dropbox token",
            [.token("sl.", .init(.dotted, 120...2_048), entropy: 4)]
        ),
        Detector(
            "zoho_token",
            .services,
            "Zoho token",
            [.token("1000.", .init(.hex, 32), ".", .init(.hex, 32))]
        ),
        Detector(
            "adobe_secret",
            .services,
            "Adobe client secret",
            [.token("p8e-", .init(.base64URL, 32))]
        ),
        Detector(
            "mapbox_token",
            .services,
            "Mapbox secret token",
            [.token("sk.eyJ", .init(.base64URL, 50...120), ".", .init(.base64URL, 22))]
        ),
        Detector(
            "algolia_key",
            .services,
            "Algolia API key, after its name",
            Form.values(of: ["algolia"], .init(.hex, 32))
        ),
        Detector(
            "intercom_token",
            .services,
            "Intercom token",
            [.token("dG9rOj", .init(.base64, 40...90), .init(.equals, 0...2))]
        ),
        Detector(
            "splunk_token",
            .services,
            "Splunk HTTP Event Collector token",
            [.token(Token("Splunk ", Segment.uuid, keepsHead: true))]
        ),
    ]
}

extension ByteSet {
    fileprivate static let dashOrLine = ByteSet("_-") { $0 == 0x2D || $0 == 0x5F }
}
