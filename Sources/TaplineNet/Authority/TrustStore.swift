// SPDX-License-Identifier: MIT

/// A place in which programs look up whom they trust, and the steps that put the root there.
///
/// Steps are commands as lists of words, so that whoever runs them needs no shell, and sentences
/// for what only a person can do.
public struct TrustStore: Sendable, Equatable {
    /// One step.
    public enum Step: Sendable, Equatable {
        /// A command to run.
        case run([String])
        /// A variable that the program has to be started with.
        case set(String, String)
        /// What a person has to do.
        case say(String)
    }

    /// The word for it on the command line.
    public let name: String
    /// Whom it is for.
    public let title: String
    /// What has to be done, in this order.
    public let steps: [Step]

    /// All that are known, the system's own first.
    ///
    /// - Parameters:
    ///   - certificate: The file of the root certificate.
    ///   - name: Its name, by which stores list it.
    ///   - home: The user's own folder.
    /// - Returns: One for each kind of program.
    public static func all(certificate: String, name: String, home: String) -> [TrustStore] {
        systems(certificate) + [nss(certificate, name, home)] + programs(certificate)
            + devices(certificate)
    }

    private static func systems(_ certificate: String) -> [TrustStore] {
        [
            TrustStore(
                name: "debian",
                title: "Debian, Ubuntu: curl, wget, git, Python's ssl, Go, Ruby",
                steps: [
                    .run([
                        "sudo", "install", "-m", "644", certificate,
                        "/usr/local/share/ca-certificates/tapline.crt",
                    ]),
                    .run(["sudo", "update-ca-certificates"]),
                ]
            ),
            TrustStore(
                name: "fedora",
                title: "Fedora, RHEL: all programs that use the system's store",
                steps: [
                    .run([
                        "sudo", "install", "-m", "644", certificate,
                        "/etc/pki/ca-trust/source/anchors/tapline.pem",
                    ]),
                    .run(["sudo", "update-ca-trust", "extract"]),
                ]
            ),
        ]
    }

    private static func nss(_ certificate: String, _ name: String, _ home: String) -> TrustStore {
        let database = "\(home)/.pki/nssdb"
        return TrustStore(
            name: "nss",
            title: "Chromium and Chrome (NSS); certutil is in libnss3-tools",
            steps: [
                .run(["mkdir", "-p", database]),
                .run([
                    "certutil", "-A", "-d", "sql:\(database)", "-n", name, "-t", "C,,", "-i",
                    certificate,
                ]),
                .say(
                    "Firefox: Settings, Privacy & Security, Certificates, View Certificates, "
                        + "Authorities, Import: \(certificate)"
                ),
            ]
        )
    }

    private static func programs(_ certificate: String) -> [TrustStore] {
        [
            TrustStore(
                name: "java",
                title: "Java",
                steps: [
                    .run([
                        "keytool", "-importcert", "-cacerts", "-storepass", "changeit",
                        "-noprompt", "-alias", "tapline", "-file", certificate,
                    ])
                ]
            ),
            TrustStore(
                name: "node",
                title: "Node",
                steps: [.set("NODE_EXTRA_CA_CERTS", certificate)]
            ),
            TrustStore(
                name: "python",
                title: "Python: requests and httpx have a store of their own",
                steps: [
                    .set("REQUESTS_CA_BUNDLE", certificate), .set("SSL_CERT_FILE", certificate),
                ]
            ),
            TrustStore(
                name: "curl",
                title: "curl, and programs on libcurl such as URLSession on Linux",
                steps: [.set("CURL_CA_BUNDLE", certificate)]
            ),
        ]
    }

    private static func devices(_ certificate: String) -> [TrustStore] {
        [
            TrustStore(
                name: "ios-simulator",
                title: "iOS simulator",
                steps: [
                    .run(["xcrun", "simctl", "keychain", "booted", "add-root-cert", certificate])
                ]
            ),
            TrustStore(
                name: "ios",
                title: "iPhone and iPad",
                steps: [
                    .say("Send \(certificate) to the device, open it, and install the profile."),
                    .say(
                        "Settings, General, About, Certificate Trust Settings: switch it on there."
                    ),
                ]
            ),
        ]
    }
}

extension CertificateAuthority {
    /// Whether clients of the given options take its certificates.
    ///
    /// A handshake in memory decides, with the stores as they are now: what is said here is what
    /// such a client will do.
    ///
    /// - Parameter options: How the client speaks; its `verify` is taken as set.
    /// - Returns: False where the certificate is not trusted.
    /// - Throws: `TLSError` for any other failure.
    public func isTrusted(by options: TLSClientOptions) throws(TLSError) -> Bool {
        var options = options
        options.verify = true
        let host = try ServerName("tapline.test")
        let client = try TLSSession(connecting: TLSContext(client: options), to: host, port: 443)
        let server = try TLSSession(
            accepting: TLSContext(server: TLSServerOptions()),
            as: leaf(for: host)
        )
        var fromClient: [UInt8] = []
        var fromServer: [UInt8] = []
        var position = 0
        _ = try client.handshake(Span(), from: &position, replies: &fromClient)
        _ = try server.handshake(fromClient.span, from: &position, replies: &fromServer)
        position = 0
        do throws(TLSError) {
            _ = try client.handshake(fromServer.span, from: &position, replies: &fromClient)
            return client.isEstablished
        } catch {
            guard error.code == .verification else { throw error }
            return false
        }
    }
}
