// SPDX-License-Identifier: MIT

extension DetectorTable {
    /// Code hosting, package and image registries, CI and project management.
    static let code: [Detector] = [
        Detector(
            "github_token",
            .code,
            "GitHub tokens of all kinds",
            Form.tokens(["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], .init(.alphanumeric, 36...255))
                + [.token("github_pat_", .init(.word, 40...255))]
        ),
        Detector(
            "gitlab_token",
            .code,
            "GitLab tokens of all kinds",
            Form.tokens(
                [
                    "glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-",
                    "glagent-", "gloas-", "glsoat-", "glffct-",
                ],
                .init(.dotted, 20...300)
            ) + [.token("GR1348941", .init(.base64URL, 20...30))]
        ),
        Detector(
            "bitbucket_token",
            .code,
            "Bitbucket app password",
            [.token("ATBB", .init(.alphanumeric, 32), entropy: 3)]
        ),
        Detector(
            "atlassian_token",
            .code,
            "Atlassian API token",
            Form.tokens(
                ["ATATT3", "ATCTT3"],
                .init(.base64URL, 100...250),
                .init(.equals, 0...1),
                .init(.capitals, 0...8)
            )
        ),
        Detector(
            "npm_token",
            .code,
            "npm token",
            [.token("npm_", .init(.alphanumeric, 36))]
        ),
        Detector(
            "pypi_token",
            .code,
            "PyPI token",
            [.token("pypi-AgE", .init(.base64URL, 50...300))]
        ),
        Detector(
            "rubygems_key",
            .code,
            "RubyGems API key",
            [.token("rubygems_", .init(.hex, 48))]
        ),
        Detector(
            "crates_token",
            .code,
            "crates.io token",
            [.token("cio", .init(.alphanumeric, 32), entropy: 3.5)]
        ),
        Detector(
            "clojars_token",
            .code,
            "Clojars token",
            [.token("CLOJARS_", .init(.smalls, 60))]
        ),
        Detector(
            "nuget_key",
            .code,
            "NuGet API key",
            [.token("oy2", .init(.smalls, 43), entropy: 3)]
        ),
        Detector(
            "docker_token",
            .code,
            "Docker Hub token",
            Form.tokens(["dckr_pat_", "dckr_oat_"], .init(.base64URL, 27...36))
        ),
        Detector(
            "artifactory_token",
            .code,
            "Artifactory API key or reference token",
            [
                .token("AKCp", .init(.alphanumeric, 69)),
                .token("cmVmdGtuOj", .init(.alphanumeric, 50...60)),
            ]
        ),
        Detector(
            "circleci_token",
            .code,
            "CircleCI token",
            Form.tokens(["CCIPAT_", "CCIPRJ_"], .init(.alphanumeric, 22), "_", .init(.hex, 40))
        ),
        Detector(
            "harness_token",
            .code,
            "Harness personal or service account API token",
            Form.tokens(
                ["pat.", "sat."],
                .init(.base64URL, 22),
                ".",
                .init(.alphanumeric, 24),
                ".",
                .init(.alphanumeric, 20)
            )
        ),
        Detector(
            "octopus_key",
            .code,
            "Octopus Deploy API key",
            [.token("API-", .init(.capitals, 25...34), entropy: 3)]
        ),
        Detector(
            "buildkite_token",
            .code,
            "Buildkite token",
            Form.tokens(["bkua_", "bkpt_"], .init(.hex, 40))
        ),
        Detector(
            "sourcegraph_token",
            .code,
            "Sourcegraph token",
            [
                .token("sgp_", .init(.hex, 40)),
                .token("sgp_", .init(.hex, 16), "_", .init(.hex, 40)),
                .token("sgp_local_", .init(.hex, 40)),
            ]
        ),
        Detector(
            "postman_key",
            .code,
            "Postman API key",
            [.token("PMAK-", .init(.hex, 24), "-", .init(.hex, 34))]
        ),
        Detector(
            "launchdarkly_key",
            .code,
            "LaunchDarkly SDK or API key",
            ["sdk-", "api-"].map { .token(Token($0, Segment.uuid, entropy: 2.5)) }
        ),
        Detector(
            "prefect_key",
            .code,
            "Prefect API key",
            Form.tokens(["pnu_", "pnb_"], .init(.alphanumeric, 36))
        ),
        Detector(
            "linear_key",
            .code,
            "Linear API key or token",
            Form.tokens(["lin_api_", "lin_oauth_"], .init(.alphanumeric, 40...64))
        ),
        Detector(
            "figma_token",
            .code,
            "Figma token",
            Form.tokens(["figd_", "figo_"], .init(.base64URL, 40...60))
        ),
        Detector(
            "readme_key",
            .code,
            "ReadMe API key",
            [.token("rdme_", .init(.smalls, 70))]
        ),
    ]
}
