// SPDX-License-Identifier: MIT

extension DetectorTable {
    /// Clouds, hosting and stores of secrets.
    static let cloud: [Detector] = [
        Detector(
            "aws_access_key",
            .cloud,
            "Access key id of AWS",
            Form.tokens(["AKIA", "ASIA", "ABIA", "ACCA"], .init(.capitals, 16))
        ),
        Detector(
            "aws_secret_key",
            .cloud,
            "Secret access key of AWS, behind its name",
            Form.values(
                of: ["aws_secret", "secretaccesskey", "secret_access_key"],
                .init(.base64, 40),
                entropy: 3.5
            )
        ),
        Detector(
            "aws_session_token",
            .cloud,
            "Session token of AWS, behind its name",
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
            "API key of Amazon Bedrock",
            [
                .token("ABSK", .init(.base64, 100...300), .init(.equals, 0...2), entropy: 4),
                // The address of a request with its signature, in base64.
                .token("bedrock-api-key-", .init(.base64, 60...8_192), .init(.equals, 0...2)),
            ]
        ),
        Detector(
            "google_api_key",
            .cloud,
            "API key of Google Cloud, Firebase, Maps and Gemini",
            [.token("AIza", .init(.base64URL, 35))]
        ),
        Detector(
            "google_oauth_token",
            .cloud,
            "OAuth token or client secret of Google",
            [
                .token("ya29.", .init(.dotted, 20...2_048)),
                .token("GOCSPX-", .init(.base64URL, 28)),
                .token("1//0", .init(.base64URL, 40...200)),
            ]
        ),
        Detector(
            "firebase_server_key",
            .cloud,
            "Server key of Firebase Cloud Messaging",
            [.around(":APA91b", lead: .init(.base64URL, 11), .init(.base64URL, 100...200))]
        ),
        Detector(
            "azure_storage_key",
            .cloud,
            "Account key of Azure Storage and Cosmos DB",
            [.behind("AccountKey=", .init(.base64, 86), "==")]
        ),
        Detector(
            "azure_shared_access_key",
            .cloud,
            "Key of Azure Service Bus and Event Hubs",
            [.behind("SharedAccessKey=", .init(.base64, 43), "=")]
        ),
        Detector(
            "azure_sas",
            .cloud,
            "Signature of a shared access URL of Azure",
            [
                .behind("&sig=", .init(.escapedBase64, 40...80), .init(.equals, 0...1), entropy: 4),
                .behind("?sig=", .init(.escapedBase64, 40...80), .init(.equals, 0...1), entropy: 4),
            ]
        ),
        Detector(
            "azure_client_secret",
            .cloud,
            "Client secret of Entra ID",
            (0...9).map { digit in
                .around("\(digit)Q~", lead: .init(.dottedTilde, 3), .init(.dottedTilde, 31...34))
            }
        ),
        Detector(
            "azure_devops_token",
            .cloud,
            "Personal token of Azure DevOps",
            [.around("AZDO", lead: .init(.alphanumeric, 76), .init(.alphanumeric, 4))]
        ),
        Detector(
            "digitalocean_token",
            .cloud,
            "Token of DigitalOcean",
            Form.tokens(["dop_v1_", "doo_v1_", "dor_v1_"], .init(.hex, 64))
        ),
        Detector(
            "heroku_key",
            .cloud,
            "API key of Heroku",
            [.token("HRKU-", .init(.base64URL, 36...80))]
                + [.assignment(Assignment("heroku", Segment.uuid))]
        ),
        Detector(
            "cloudflare_origin_ca_key",
            .cloud,
            "Origin CA key of Cloudflare",
            [.token("v1.0-", .init(.hex, 24), "-", .init(.hex, 146))]
        ),
        Detector(
            "cloudflare_token",
            .cloud,
            "API token of Cloudflare, behind its name",
            Form.values(of: ["cloudflare", "cf_api"], .init(.base64URL, 37...40), entropy: 3.5)
        ),
        Detector(
            "fastly_token",
            .cloud,
            "API token of Fastly, behind its name",
            Form.values(of: ["fastly"], .init(.base64URL, 32), entropy: 3.5)
        ),
        Detector(
            "alibaba_access_key",
            .cloud,
            "Access key id of Alibaba Cloud",
            [.token("LTAI", .init(.alphanumeric, 16...24), entropy: 3)]
        ),
        Detector(
            "tencent_secret_id",
            .cloud,
            "Secret id of Tencent Cloud",
            [.token("AKID", .init(.alphanumeric, 32), entropy: 3)]
        ),
        Detector(
            "yandex_key",
            .cloud,
            "API key or OAuth token of Yandex Cloud",
            [.token("AQVN", .init(.base64URL, 35...38)), .token("y0_", .init(.base64URL, 50...70))]
        ),
        Detector(
            "scaleway_access_key",
            .cloud,
            "Access key of Scaleway",
            [.token("SCW", .init(.capitals, 17), entropy: 3)]
        ),
        Detector(
            "openshift_token",
            .cloud,
            "Token of OpenShift",
            [.token("sha256~", .init(.base64URL, 43))]
        ),
        Detector(
            "fly_token",
            .cloud,
            "Token of Fly.io",
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
            "Token of Netlify",
            Form.tokens(["nfp_", "nfc_", "nfo_", "nfu_"], .init(.alphanumeric, 36))
        ),
        Detector(
            "render_key",
            .cloud,
            "API key of Render",
            [.token("rnd_", .init(.alphanumeric, 32))]
        ),
        Detector(
            "supabase_token",
            .cloud,
            "Token or secret key of Supabase",
            [.token("sbp_", .init(.hex, 40)), .token("sb_secret_", .init(.base64URL, 31...60))]
        ),
        Detector(
            "planetscale_token",
            .cloud,
            "Token or password of PlanetScale",
            Form.tokens(["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], .init(.dotted, 32...64))
        ),
        Detector(
            "databricks_token",
            .cloud,
            "Token of Databricks",
            [
                .token("dapi", .init(.hex, 32)),
                .token("dapi", .init(.hex, 32), "-", .init(.digits, 1)),
                .token("dose", .init(.hex, 32)),
            ]
        ),
        Detector(
            "pulumi_token",
            .cloud,
            "Token of Pulumi",
            [.token("pul-", .init(.hex, 40))]
        ),
        Detector(
            "terraform_token",
            .cloud,
            "Token of HCP Terraform",
            [.around(".atlasv1.", lead: .init(.alphanumeric, 14), .init(.base64URL, 60...80))]
        ),
        Detector(
            "vault_token",
            .cloud,
            "Token of HashiCorp Vault",
            Form.tokens(["hvs.", "hvb.", "hvr."], .init(.base64URL, 24...300))
                + [.shape(.vaultToken)]
        ),
        Detector(
            "clickhouse_key",
            .cloud,
            "Secret of an API key of ClickHouse Cloud",
            // Hashes that begin so have 3.7 bits a byte.
            [.token("4b1d", .init(.alphanumeric, 38), entropy: 4.1)]
        ),
        Detector(
            "scalingo_token",
            .cloud,
            "API token of Scalingo",
            [.token("tk-us-", .init(.base64URL, 48))]
        ),
        Detector(
            "settlemint_token",
            .cloud,
            "Token of SettleMint: of an application, a person or a service",
            Form.tokens(["sm_aat_", "sm_pat_", "sm_sat_"], .init(.alphanumeric, 16))
        ),
        Detector(
            "infracost_key",
            .cloud,
            "API key of Infracost",
            [.token("ico-", .init(.alphanumeric, 32), entropy: 3.5)]
        ),
        Detector(
            "doppler_token",
            .cloud,
            "Token of Doppler",
            Form.tokens(
                ["dp.pt.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
                .init(.alphanumeric, 40...44)
            ) + Form.tokens(["dp.st."], .init(.dotted, 40...80))
        ),
        Detector(
            "onepassword_token",
            .cloud,
            "Service account or secret key of 1Password",
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
            "Private key of age",
            [.token("AGE-SECRET-KEY-1", .init(.capitals, 58))]
        ),
    ]
}

extension ByteSet {
    fileprivate static let dottedTilde = ByteSet("0-9A-Za-z_.~-") { byte in
        dotted.contains(byte) || byte == 0x7E
    }
}
