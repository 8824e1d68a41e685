// SPDX-License-Identifier: MIT

internal import TaplineSystem

extension TrustSteps {
    /// All known stores, the system's own first: their names, and functions that make their steps.
    private static let known:
        [(name: String, make: @Sendable (String, TrustSubject) -> TrustSteps)] = [
            ("debian", debian), ("fedora", fedora), ("macos", macOS), ("nss", chromium),
            ("firefox", firefox), ("java", java), ("node", node), ("python", python),
            ("curl", curl),
            ("git", git), ("ruby", ruby), ("go", go), ("ios-simulator", simulator), ("ios", device),
        ]

    /// The names of all stores.
    static let names = known.map(\.name)

    /// Returns the steps for all stores.
    static func all(_ subject: TrustSubject) -> [TrustSteps] {
        known.map { $0.make($0.name, subject) }
    }

    /// Returns the steps for one store; `nil` if it is unknown.
    static func named(_ name: String, _ subject: TrustSubject) -> TrustSteps? {
        known.first { $0.name == name }.map { $0.make(name, subject) }
    }

    // MARK: Systems

    private static func debian(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        let file = "\(subject.debianFolder)/tapline.crt"
        return TrustSteps(
            name,
            "Debian, Ubuntu: curl, wget, git, Python's ssl, Go, Ruby, URLSession, Java",
            [
                .run(["sudo", "install", "-m", "644", subject.certificate, file]),
                .run(["sudo"] + subject.debianUpdate),
            ],
            undoing: [
                .run(["sudo", "rm", "-f", file]), .run(["sudo"] + subject.debianUpdate),
            ]
        )
    }

    private static func fedora(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        let file = "\(subject.fedoraFolder)/tapline.pem"
        return TrustSteps(
            name,
            "Fedora, RHEL: all programs that use the system's store",
            [
                .run(["sudo", "install", "-m", "644", subject.certificate, file]),
                .run(["sudo"] + subject.fedoraUpdate),
            ],
            undoing: [
                .run(["sudo", "rm", "-f", file]), .run(["sudo"] + subject.fedoraUpdate),
            ]
        )
    }

    private static func macOS(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        let keychain = "\(subject.home)/Library/Keychains/login.keychain-db"
        return TrustSteps(
            name,
            "macOS: Safari, Chrome, and programs that use URLSession",
            [
                .run([
                    "security", "add-trusted-cert", "-r", "trustRoot", "-k", keychain,
                    subject.certificate,
                ])
            ],
            undoing: [
                .run(["security", "remove-trusted-cert", subject.certificate]),
                .run(["security", "delete-certificate", "-c", subject.name, keychain]),
            ]
        )
    }

    private static func simulator(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        TrustSteps(
            name,
            "The running iOS simulator",
            [
                .run([
                    "xcrun", "simctl", "keychain", "booted", "add-root-cert", subject.certificate,
                ])
            ],
            undoing: [.run(["xcrun", "simctl", "keychain", "booted", "reset"])]
        )
    }

    private static func device(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        TrustSteps(
            name,
            "iPhone and iPad",
            [
                .say("Send \(subject.certificate) to the device, open it, and install the profile"),
                .say("in Settings, General, VPN & Device Management."),
                .say("Settings, General, About, Certificate Trust Settings: switch it on there."),
            ],
            undoing: [
                .say("Settings, General, VPN & Device Management: remove '\(subject.name)'.")
            ]
        )
    }

    // MARK: Browsers

    private static func chromium(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        let databases = subject.chromiumDatabases
        return TrustSteps(
            name,
            "Chromium and Chrome on Linux (NSS)",
            databases.flatMap { folder in
                [.run(["mkdir", "-p", folder]), add(subject, to: folder)]
            },
            undoing: databases.map { remove(subject, from: $0) }
        )
    }

    private static func firefox(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        let profiles = subject.firefoxProfiles
        return TrustSteps(
            name,
            "Firefox, each profile",
            profiles.isEmpty
                ? [
                    .say("Settings, Privacy & Security, View Certificates, Authorities, Import:"),
                    .say("\(subject.certificate), to identify websites."),
                ] : profiles.map { add(subject, to: $0) },
            undoing: profiles.isEmpty
                ? [
                    .say("Settings, Privacy & Security, View Certificates, Authorities:"),
                    .say("delete '\(subject.name)'."),
                ] : profiles.map { remove(subject, from: $0) }
        )
    }

    private static func add(_ subject: TrustSubject, to folder: String) -> Step {
        .run([
            "certutil", "-A", "-d", "sql:\(folder)", "-n", subject.name, "-t", "C,,", "-i",
            subject.certificate,
        ])
    }

    private static func remove(_ subject: TrustSubject, from folder: String) -> Step {
        .run(["certutil", "-D", "-d", "sql:\(folder)", "-n", subject.name])
    }

    // MARK: Languages and tools

    private static func java(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        TrustSteps(
            name,
            "Java",
            [
                .run(
                    ["sudo", "keytool", "-importcert"] + subject.javaStore
                        + ["-noprompt", "-alias", subject.name, "-file", subject.certificate]
                )
            ],
            undoing: [
                .run(
                    ["sudo", "keytool", "-delete"] + subject.javaStore + ["-alias", subject.name]
                )
            ],
            isDone: ["keytool", "-list"] + subject.javaStore + ["-alias", subject.name]
        )
    }

    private static func node(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        TrustSteps(
            name,
            "Node, in addition to its built-in authorities",
            [.set("NODE_EXTRA_CA_CERTS", subject.certificate)],
            undoing: [.unset("NODE_EXTRA_CA_CERTS")]
        )
    }

    private static func python(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        bundled(
            name,
            "Python: ssl, requests and httpx",
            ["REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"],
            subject
        )
    }

    private static func curl(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        bundled(
            name,
            "curl, and programs that use libcurl and read CURL_CA_BUNDLE",
            ["CURL_CA_BUNDLE"],
            subject
        )
    }

    private static func git(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        bundled(name, "git", ["GIT_SSL_CAINFO"], subject)
    }

    private static func ruby(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        bundled(name, "Ruby", ["SSL_CERT_FILE"], subject)
    }

    private static func go(_ name: String, _ subject: TrustSubject) -> TrustSteps {
        bundled(name, "Go programs on Linux", ["SSL_CERT_FILE"], subject)
    }

    /// Programs that trust only the certificates in a file that a variable names.
    private static func bundled(
        _ name: String,
        _ title: String,
        _ variables: [String],
        _ subject: TrustSubject
    ) -> TrustSteps {
        TrustSteps(
            name,
            title,
            [.writeBundle] + variables.map { .set($0, subject.bundle) },
            undoing: variables.map { .unset($0) }
        )
    }
}

extension TrustSubject {
    /// The databases of Chromium: the user's, and the snap's if it exists.
    var chromiumDatabases: [String] {
        let snap = "\(home)/snap/chromium/current/.pki/nssdb"
        return ["\(home)/.pki/nssdb"]
            + ((try? FileSystem.status(of: snap))?.map { _ in [snap] } ?? [])
    }

    /// The folders of Firefox's profiles that have a database.
    var firefoxProfiles: [String] {
        [".mozilla/firefox", "snap/firefox/common/.mozilla/firefox"].flatMap { folder in
            let root = "\(home)/\(folder)"
            let names = (try? FileSystem.names(in: root)) ?? []
            return names.sorted().map { "\(root)/\($0)" }.filter { profile in
                (try? FileSystem.status(of: "\(profile)/cert9.db"))??.kind == .regular
            }
        }
    }
}
