// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineCapture
import TaplineSystem
import Testing

@testable import TaplineCassettes

/// Support for tests of recorded tests: a folder for fixtures, and runs without a trait.
final class RecordedTest: Sendable {
    let folder: String

    init() throws { folder = try FileSystem.makeTemporaryFolder(prefix: "tapline") }

    deinit { try? FileSystem.removeFolder(folder) }

    /// Returns options for fixtures in the folder.
    func options(
        _ mode: RecordedMode?,
        _ change: (inout RecordedOptions) -> Void = { _ in }
    ) -> RecordedOptions {
        RecordedOptions {
            $0.folder = folder
            $0.mode = mode
            // Detectors have their own tests, and are slow to build.
            $0.stages = [.redact()]
            $0.capturesShared = false
            change(&$0)
        }
    }

    /// Runs a test in a mode and returns the problems.
    @discardableResult
    func run(
        _ options: RecordedOptions,
        as name: String = "test",
        of id: String = "a test",
        _ variables: [String: String] = [:],
        _ body: (Recording) async throws -> Void
    ) async throws -> [String] {
        var problems: [String] = []
        let run = try RecordedRun(name, of: id, besides: #filePath, options, variables)
        try await run.perform {
            try await body(run.recording)
        } reporting: {
            problems.append($0)
        }
        return problems
    }

    /// Returns the text of a fixture.
    func text(_ name: String = "test.har") throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }
}

extension URL {
    /// A port at which nobody listens.
    static let refused = URL(string: "http://127.0.0.1:1/") ?? URL(fileURLWithPath: "/")
}

extension URLSession {
    /// Returns the status and the text of a response.
    func text(_ url: URL) async throws -> String { try await text(URLRequest(url: url)) }

    func text(_ request: URLRequest) async throws -> String {
        let (data, response) = try await data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        return "\(status) " + String(decoding: data, as: UTF8.self)
    }
}

extension URLRequest {
    /// Creates a request with a body.
    init(_ url: URL, post body: String, type: String = "application/json") {
        self.init(url: url)
        httpMethod = "POST"
        httpBody = Data(body.utf8)
        setValue(type, forHTTPHeaderField: "Content-Type")
    }
}
