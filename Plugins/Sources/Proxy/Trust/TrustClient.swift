// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// A program that opens a TLS connection as others of its kind do, to test whether they trust a
/// root.
struct TrustClient: Sendable {
    /// How the test determines whether the root is trusted.
    enum Criterion: Sendable {
        /// By a request that reaches the probe.
        case request
        /// By the exit code of the program.
        case exitCode
    }

    /// The name of the trust store that it tests.
    let store: String
    /// The name of the test.
    let name: String
    /// The program that has to be installed.
    let program: String
    /// The arguments of the program; `{port}` stands for the port of the probe, `{folder}` for a
    /// temporary folder.
    let arguments: [String]
    var criterion = Criterion.request
    /// Whether its last line of output is not useful, so that the probe's view is reported instead.
    var endsInNoise = false
    /// The tests to run instead if it made no connection.
    var substitute: [TrustClient] = []
    /// A file that it needs in its folder, and the text of that file.
    var file: (name: String, text: String)?

    /// The exit code of a script whose library is not installed.
    static let notInstalled: Int32 = 42

    /// Returns all known tests.
    static func all(_ subject: TrustSubject) -> [TrustClient] {
        system(subject) + databases(subject) + [java(subject), node] + python + [curl, git, ruby]
    }

    private static func system(_ subject: TrustSubject) -> [TrustClient] {
        // Both use the system's store, which is named after the system that is installed here.
        let store =
            subject.program(subject.fedoraUpdate.first ?? "") == nil ? "debian" : "fedora"
        return [
            TrustClient(
                store: store,
                name: "openssl",
                program: "openssl",
                arguments: [
                    "s_client", "-connect", "127.0.0.1:{port}", "-verify_ip", "127.0.0.1",
                    "-verify_return_error",
                ],
                criterion: .exitCode,
                endsInNoise: true
            ),
            TrustClient(
                store: store,
                name: "wget",
                program: "wget",
                arguments: [
                    "--no-config", "--no-proxy", "--tries=1", "--timeout=20", "-nv", "-O",
                    "/dev/null", url,
                ]
            ),
        ]
    }

    private static let url = "https://127.0.0.1:{port}/"

    /// NSS has no client that is installed everywhere, so certutil queries its databases.
    private static func databases(_ subject: TrustSubject) -> [TrustClient] {
        func client(_ store: String, _ folder: String, _ name: String) -> TrustClient {
            TrustClient(
                store: store,
                name: name,
                program: "certutil",
                arguments: ["-V", "-u", "L", "-d", "sql:\(folder)", "-n", subject.name],
                criterion: .exitCode
            )
        }
        return subject.chromiumDatabases.filter(TrustSubject.isDatabase)
            .map { client("nss", $0, $0.contains("/snap/") ? "snap" : "user") }
            + subject.firefoxProfiles.map { client("firefox", $0, FileSystem.name(of: $0)) }
    }

    private static let curl = TrustClient(
        store: "curl",
        name: "curl",
        program: "curl",
        arguments: ["-q", "-sS", "-m", "20", "--noproxy", "*", "-o", "/dev/null", url],
        endsInNoise: true
    )

    private static let git = TrustClient(
        store: "git",
        name: "git",
        program: "git",
        arguments: ["-c", "http.proxy=", "ls-remote", "\(url)tapline.git"]
    )

    private static let node = TrustClient(
        store: "node",
        name: "https",
        program: "node",
        arguments: [
            "-e",
            """
            require("https").get("\(url)", r => { console.log(r.statusCode); process.exit() })
                .on("error", e => { console.log(e.message); process.exit(1) })
            """,
        ]
    )

    private static let python: [TrustClient] = [
        (
            "ssl",
            """
            import urllib.request as u
            u.build_opener(u.ProxyHandler({})).open("\(url)", timeout=20).read()
            """
        ),
        (
            "requests",
            """
            try: import requests
            except ImportError: raise SystemExit(\(notInstalled))
            requests.get("\(url)", timeout=20)
            """
        ),
        (
            "httpx",
            """
            try: import httpx
            except ImportError: raise SystemExit(\(notInstalled))
            httpx.get("\(url)", timeout=20)
            """
        ),
    ].map { name, script in
        TrustClient(store: "python", name: name, program: "python3", arguments: ["-c", script])
    }

    private static let ruby = TrustClient(
        store: "ruby",
        name: "net/http",
        program: "ruby",
        arguments: [
            "-rnet/http", "-e",
            // Without the lines of the backtrace.
            "begin; Net::HTTP.start('127.0.0.1', {port}, nil, use_ssl: true) { |h| h.get('/') }; "
                + "rescue => error; abort error.message; end",
        ]
    )

    /// Requires a JDK, which runs a source file (JEP 330).
    ///
    /// Without one, the store is queried.
    private static func java(_ subject: TrustSubject) -> TrustClient {
        let listing = TrustClient(
            store: "java",
            name: "java",
            program: "keytool",
            arguments: ["-list"] + subject.javaStore + ["-alias", subject.name],
            criterion: .exitCode
        )
        return TrustClient(
            store: "java",
            name: "java",
            program: "java",
            arguments: ["{folder}/Check.java", url],
            endsInNoise: true,
            substitute: [listing],
            file: (
                "Check.java",
                """
                public class Check {
                    public static void main(String[] words) throws Exception {
                        new java.net.URL(words[0]).openConnection(java.net.Proxy.NO_PROXY)
                            .getInputStream().readAllBytes();
                    }
                }
                """
            )
        )
    }
}

extension TrustSubject {
    /// Returns whether a folder contains an NSS database.
    static func isDatabase(_ folder: String) -> Bool {
        (try? FileSystem.status(of: "\(folder)/cert9.db"))??.kind == .regular
    }
}
