// SPDX-License-Identifier: MIT

extension DetectorTable {
    /// Clouds, hosting and secret stores.
    static let cloud: [Detector] = [
        Detector(
            "aws_access_key",
            .cloud,
            "AWS access key ID",
            Form.tokens(["AKIA", "ASIA", "ABIA", "ACCA"], .init(.capitals, 16))
        ),
        Detector(
            "aws_secret_key",
            .cloud,
            "AWS secret access key, after its name",
            Form.values(
                of: ["aws_secret", "secretaccesskey", "secret_access_key"],
                .init(.base64, 40),
                entropy: 3.5
            )
        ),
        Detector(
            "aws_session_token",
            .cloud,
            "AWS session token, after its name",
            Form.values(
                of: ["sessiontoken", "session_token", "x-amz-security-token"],
                .init(.base64, 100...4_096),
                .init(.equals, 0...2),
                entropy: 4
            )
        ),
        Detector(
            "aws_bedrock_key",
            .cloud,
            "Amazon Bedrock API key",
            [
                .token("ABSK", .init(.base64, 100...300), .init(.equals, 0...2), entropy: 4),
                // The base64 of a presigned request URL.
                .token("bedrock-api-key-", .init(.base64, 60...8_192), .init(.equals, 0...2)),
            ]
        ),
        Detector(
            "google_api_key",
            .cloud,
            "API key for Google Cloud, Firebase, Maps and Gemini",
            [.token("AIza", .init(.base64URL, 35))]
        ),
        Detector(
            "google_oauth_token",
            .cloud,
            "Google OAuth token or client secret",
            [
                .token("ya29.", .init(.dotted, 20...2_048)),
                .token("GOCSPX-", .init(.base64URL, 28)),
                .token("1//0", .init(.base64URL, 40...200)),
            ]
        ),
        Detector(
            "firebase_server_key",
            .cloud,
            "Firebase Cloud Messaging server key",
            [.around(":APA91b", lead: .init(.base64URL, 11), .init(.base64URL, 100...200))]
        ),
        Detector(
            "azure_storage_key",
            .cloud,
            "Azure Storage or Cosmos DB account key",
            [.after("AccountKey=", .init(.base64, 86), "==")]
        ),
        Detector(
            "azure_shared_access_key",
            .cloud,
            "Azure Service Bus or Event Hubs key",
            [.after("SharedAccessKey=", .init(.base64, 43), "=")]
        ),
        Detector(
            "azure_sas",
            .cloud,
            "Signature of an Azure shared access URL",
            [
                .after("&sig=", .init(.escapedBase64, 40...80), .init(.equals, 0...1), entropy: 4),
                .after("?sig=", .init(.escapedBase64, 40...80), .init(.equals, 0...1), entropy: 4),
            ]
        ),
        Detector(
            "azure_client_secret",
            .cloud,
            "Entra ID client secret",
            (0...9).map { digit in
                .around("\(digit)Q~", lead: .init(.dottedTilde, 3), .init(.dottedTilde, 31...34))
            }
        ),
        Detector(
            "azure_devops_token",
            .cloud,
            "Azure DevOps personal access token",
            [.around("AZDO", lead: .init(.alphanumeric, 76), .init(.alphanumeric, 4))]
        ),
        Detector(
            "digitalocean_token",
            .cloud,
            "DigitalOcean token",
            Form.tokens(["dop_v1_", "doo_v1_", "dor_v1_"], .init(.hex, 64))
        ),
        Detector(
            "heroku_key",
            .cloud,
            "Heroku API key",
            [.token("HRKU-", .init(.base64URL, 36...80))]
                + [.assignment(Assignment("heroku", Segment.uuid))]
        ),
        Detector(
            "cloudflare_origin_ca_key",
            .cloud,
            "Cloudflare Origin CA key",
            [.token("v1.0-", .init(.hex, 24), "-", .init(.hex, 146))]
        ),
        Detector(
            "cloudflare_token",
            .cloud,
            "Cloudflare API token, after its name",
            Form.values(of: ["cloudflare", "cf_api"], .init(.base64URL, 37...40), entropy: 3.5)
        ),
        Detector(
            "fastly_token",
            .cloud,
            "Fastly API token, after its name",
            Form.values(of: ["fastly"], .init(.base64URL, 32), entropy: 3.5)
        ),
        Detector(
            "alibaba_access_key",
            .cloud,
            "Alibaba Cloud access key ID",
            [.token("LTAI", .init(.alphanumeric, 16...24), entropy: 3)]
        ),
        Detector(
            "tencent_secret_id",
            .cloud,
            "Tencent Cloud secret ID",
            [.token("AKID", .init(.alphanumeric, 32), entropy: 3)]
        ),
        Detector(
            "yandex_key",
            .cloud,
            "Yandex Cloud API key or OAuth token",
            [.token("AQVN", .init(.base64URL, 35...38)), .token("y0_", .init(.base64URL, 50...70))]
        ),
        Detector(
            "scaleway_access_key",
            .cloud,
            "Scaleway access key",
            [.token("SCW", .init(.capitals, 17), entropy: 3)]
        ),
        Detector(
            "openshift_token",
            .cloud,
            "OpenShift token",
            [.token("sha256~", .init(.base64URL, 43))]
        ),
        Detector(
            "fly_token",
            .cloud,
            "Fly.io token",
            [.token("fo1_", .init(.base64URL, 43))]
                + Form.tokens(
                    ["fm1r_", "fm1a_", "fm2_"],
                    .init(.base64, 100...4_096),
                    .init(.equals, 0...3)
                )
        ),
        Detector(
            "netlify_token",
            .cloud,
            "Netlify token",
            Form.tokens(["nfp_", "nfc_", "nfo_", "nfu_"], .init(.alphanumeric, 36))
        ),
        Detector(
            "render_key",
            .cloud,
            "Render API key",
            [.token("rnd_", .init(.alphanumeric, 32))]
        ),
        Detector(
            "supabase_token",
            .cloud,
            "Supabase token or secret key",
            [.token("sbp_", .init(.hex, 40)), .token("sb_secret_", .init(.base64URL, 31...60))]
        ),
        Detector(
            "planetscale_token",
            .cloud,
            "PlanetScale token or password",
            Form.tokens(["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], .init(.dotted, 32...64))
        ),
        Detector(
            "databricks_token",
            .cloud,
            "Databricks token",
            [
                .token("dapi", .init(.hex, 32)),
                .token("dapi", .init(.hex, 32), "-", .init(.digits, 1)),
                .token("dose", .init(.hex, 32)),
            ]
        ),
        Detector(
            "pulumi_token",
            .cloud,
            "Pulumi token",
            [.token("pul-", .init(.hex, 40))]
        ),
        Detector(
            "terraform_token",
            .cloud,
            "HCP Terraform token",
            [.around(".atlasv1.", lead: .init(.alphanumeric, 14), .init(.base64URL, 60...80))]
        ),
        Detector(
            "vault_token",
            .cloud,
            "HashiCorp Vault token",
            Form.tokens(["hvs.", "hvb.", "hvr."], .init(.base64URL, 24...300))
                + [.shape(.vaultToken)]
        ),
        Detector(
            "clickhouse_key",
            .cloud,
            "ClickHouse Cloud API key secret",
            // Hexadecimal hashes with this prefix have 3.7 bits per byte.
            [.token("4b1d", .init(.alphanumeric, 38), entropy: 4.1)]
        ),
        Detector(
            "scalingo_token",
            .cloud,
            "Scalingo API token",
            [.token("tk-us-", .init(.base64URL, 48))]
        ),
        Detector(
            "settlemint_token",
            .cloud,
            "SettleMint application, personal or service token",
            Form.tokens(["sm_aat_", "sm_pat_", "sm_sat_"], .init(.alphanumeric, 16))
        ),
        Detector(
            "infracost_key",
            .cloud,
            "Infracost API key",
            [.token("ico-", .init(.alphanumeric, 32), entropy: 3.5)]
        ),
        Detector(
            "doppler_token",
            .cloud,
            "Doppler token",
            Form.tokens(
                ["dp.pt.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
                .init(.alphanumeric, 40...44)
            ) + Form.tokens(["dp.st."], .init(.dotted, 40...80))
        ),
        Detector(
            "onepassword_token",
            .cloud,
            "1Password service account token or secret key",
            [
                .token("ops_eyJ", .init(.base64URL, 100...2_048), .init(.equals, 0...2)),
                .token(
                    "A3-",
                    .init(.capitals, 6),
                    "-",
                    .init(.capitals, 6),
                    "-",
                    .init(.capitals, 5),
                    "-",
                    .init(.capitals, 5),
                    "-",
                    .init(.capitals, 5),
                    "-",
                    .init(.capitals, 5)
                ),
            ]
        ),
        Detector(
            "age_key",
            .cloud,
            "age private key",
            [.token("AGE-SECRET-KEY-1", .init(.capitals, 58))]
        ),
    ]
}

extension ByteSet {
    fileprivate static let dottedTilde = ByteSet("0-9A-Za-z_.~-") { byte in
        dotted.contains(byte) || byte == 0x7E
    }
}
