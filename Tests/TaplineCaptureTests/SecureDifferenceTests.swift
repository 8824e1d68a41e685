// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Glibc
import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCapture

/// HTTPS that succeeds in a captured app and in an uncaptured one.
///
/// Foundation on Linux trusts only the system's file of authorities. Therefore the cases run in a
/// separate process that sees another file in its place, which only root can set up.
@Suite struct SecureDifferenceTests {
    /// The folder of the certificate, in the process that trusts it.
    private static let folder = ProcessEnvironment.variables["TAPLINE_DIFFERENCE_TLS"]

    @Test(
        .enabled(if: geteuid() == 0, "only root can give a process another file of authorities"),
        .enabled(if: folder == nil, "this process is the one that the test has started"),
        .timeLimit(.minutes(4))
    )
    func exchangesOverTLSSucceedInEachWay() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let script = """
            cd "$0" && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \\
                -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -days 2 \\
                -keyout key.pem -out certificate.pem 2>/dev/null &&
            mount --bind certificate.pem /etc/ssl/certs/ca-certificates.crt &&
            exec "$@" --testing-library swift-testing --filter SecureDifferenceTests 2>&1
            """
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        var variables = ProcessEnvironment.variables
        variables["TAPLINE_DIFFERENCE_TLS"] = folder
        let report = try await run(
            ["/usr/bin/unshare", "--mount", "sh", "-c", script, folder, program],
            variables
        )
        let end = report.text.suffix(3000)
        let passed = /aCaseOverTLSBehavesTheSameInEachWay.* with 6 test cases passed/
        #expect(report.text.contains(passed), "\(end)")
        #expect(!report.text.contains("failed after"), "\(end)")
    }

    private func run(
        _ words: [String],
        _ environment: [String: String]
    ) async throws -> ChildProcess.Report {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                let report = Result {
                    try ChildProcess.run(
                        words,
                        environment: environment,
                        seconds: 200,
                        maxBytes: 1 << 24
                    )
                }
                continuation.resume(with: report)
            }
        }
    }

    @Test(
        .enabled(
            if: folder != nil,
            "exchangesOverTLSSucceedInEachWay() runs it in another process"
        ),
        arguments: DifferenceCase.secure
    )
    func aCaseOverTLSBehavesTheSameInEachWay(_ difference: DifferenceCase) async throws {
        let folder = try #require(Self.folder)
        let server = try DifferenceServer(
            certificate: "\(folder)/certificate.pem",
            key: "\(folder)/key.pem"
        )
        try await difference.compare(server)
        // The comparison is meaningless if all cases fail in the same way.
        let tap = Tap()
        try tap.start()
        let session = TapSession(configuration: .ephemeral, tap: tap)
        let (data, _) = try await session.data(from: server.path("/a/hello"))
        tap.stop()
        let exchange = try #require(tap.entries.first?.exchange)
        #expect(data == Data("hello".utf8) && exchange.response?.status == 200)
        #expect(exchange.request.scheme == "https" && exchange.state == .completed)
    }
}

extension DifferenceCase {
    /// The cases over TLS: each type of call, and operations with several requests.
    static let secure = [
        DifferenceCase("tls-handler") { run in
            let task = run.session.dataTask(
                with: run.request("hello"),
                completionHandler: run.handler
            )
            try await run.finish(task)
        },
        DifferenceCase("tls-delegate", .data) { run in
            try await run.finish(run.session.dataTask(with: run.url("chunks")))
        },
        DifferenceCase("tls-download") { run in
            let task = run.session.downloadTask(
                with: run.request("large"),
                completionHandler: run.fileHandler
            )
            try await run.finish(task)
        },
        DifferenceCase("tls-upload", .data) { run in
            try await run.finish(run.session.dataTask(with: run.request("echo", "POST", "body")))
        },
        DifferenceCase("tls-redirected", .data) { run in
            try await run.finish(run.session.dataTask(with: run.url("redirect/302/hello")))
        },
        DifferenceCase("tls-awaited") { run in
            try await run.awaited {
                try await run.session.data(for: run.request("gzip"), delegate: nil)
            }
        },
    ]
}
