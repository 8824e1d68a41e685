// SPDX-License-Identifier: MIT

extension DetectorTable {
    /// Credentials that are not specific to a vendor.
    static let credentials: [Detector] = [
        Detector(
            "private_key",
            .credentials,
            "Private key in PEM, OpenSSH, PGP, SSH2 or PuTTY form",
            [.shape(.privateKey), .shape(.puttyKey)]
        ),
        Detector("jwt", .credentials, "JSON Web Token", [.shape(.jsonWebToken)]),
        Detector("bearer_token", .credentials, "Token after 'Bearer'", [.shape(.bearer)]),
        Detector(
            "basic_credentials",
            .credentials,
            "User and password after 'Basic'",
            [.shape(.basic)]
        ),
        Detector(
            "connection_string",
            .credentials,
            "Password in the URL or connection string of a database or a broker",
            [.shape(.databaseURL), .shape(.dataSourceName), .shape(.connectionString)]
        ),
        Detector("url_password", .credentials, "Password in any other URL", [.shape(.otherURL)]),
    ]
}
