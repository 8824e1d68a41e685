// SPDX-License-Identifier: MIT

internal import TaplineCertificates
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineSystem
internal import TaplineTLS

/// Checks whether programs trust a root, by making each of them open a TLS connection.
struct TrustCheck: Sendable {
    private let subject: TrustSubject
    private let probe: TrustProbe

    /// The time limit for a program: Java needs seconds on a busy machine.
    private static let seconds = 120

    /// Makes a check of an authority.
    ///
    /// **Throws**: `NetError` or `TLSError` if no server can be started for it.
    init(_ authority: CertificateAuthority, _ subject: TrustSubject) throws {
        self.subject = subject
        probe = try TrustProbe(authority)
    }

    /// Tests the programs of a store, one after the other.
    ///
    /// Blocks until all have ended.
    ///
    /// - Parameter store: The name of the store.
    /// - Returns: At least one finding.
    func findings(of store: String) -> [TrustFinding] {
        let clients = TrustClient.all(subject).filter { $0.store == store }
        guard !clients.isEmpty else {
            return [TrustFinding(store: store, client: store, verdict: Self.withoutClient(store))]
        }
        return clients.map { client in
            TrustFinding(store: store, client: client.name, verdict: verdict(of: client))
        }
    }

    private static func withoutClient(_ store: String) -> TrustVerdict {
        switch store {
        case "go": .unclear("programs in Go follow SSL_CERT_FILE or the system's store")
        case "ios-simulator", "ios", "macos": .unclear("it cannot be checked from here")
        default: .notInstalled
        }
    }

    private func verdict(of client: TrustClient) -> TrustVerdict {
        guard let program = subject.program(client.program) else { return .notInstalled }
        do throws(FileError) {
            let folder = try client.file.map { file throws(FileError) in
                let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-check")
                try File("\(folder)/\(file.name)", for: .create).write(file.text.utf8.span)
                return folder
            }
            defer { if let folder { try? FileSystem.removeFolder(folder) } }
            let words = client.arguments.map { word in
                word.replacing("{port}", with: "\(probe.port)")
                    .replacing("{folder}", with: folder ?? "")
            }
            _ = probe.takeOutcome()
            let report = try ChildProcess.run(
                [program] + words,
                environment: environment,
                seconds: Self.seconds
            )
            let verdict = evaluate(client, report)
            guard case .unclear = verdict, let other = client.substitute.first else {
                return verdict
            }
            return self.verdict(of: other)
        } catch {
            return .unclear("\(error)")
        }
    }

    /// The user's variables, except those that would lead through a proxy or prompt for a password.
    private var environment: [String: String] {
        var variables = subject.environment.filter { name, _ in
            !name.lowercased().hasSuffix("_proxy")
        }
        variables["GIT_TERMINAL_PROMPT"] = "0"
        return variables
    }

    private func evaluate(_ client: TrustClient, _ report: ChildProcess.Report) -> TrustVerdict {
        let outcome = probe.takeOutcome()
        let said = report.text.split(separator: "\n").last { !$0.allSatisfy(\.isWhitespace) }
            .map { String($0.prefix(200)) }
        let reason = (client.endsInNoise ? outcome.failure ?? said : said ?? outcome.failure) ?? ""
        guard let ending = report.ending else { return .unclear("it timed out") }
        if ending.code == TrustClient.notInstalled { return .notInstalled }
        switch client.criterion {
        case .request:
            if outcome.requests > 0 { return .trusted }
            if outcome.connections > 0 { return .untrusted(reason) }
            return .unclear(said ?? "it made no connection")
        case .exitCode:
            return ending.isSuccess ? .trusted : .untrusted(reason)
        }
    }
}
