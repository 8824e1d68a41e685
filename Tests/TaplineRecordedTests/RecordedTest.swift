// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineCapture
import TaplineFiles
import Testing

@testable import TaplineRecorded

/// What tests of recorded tests share: a folder for fixtures, and runs without a trait.
final class RecordedTest: Sendable {
    let folder: String

    init() throws { folder = try FileSystem.makeTemporaryFolder(prefix: "tapline") }

    deinit { try? FileSystem.removeFolder(folder) }

    /// Options for fixtures in the folder.
    func options(
        _ mode: RecordedMode?,
        _ change: (inout RecordedOptions) -> Void = { _ in }
    ) -> RecordedOptions {
        RecordedOptions {
            $0.folder = folder
            $0.mode = mode
            // Detectors have tests of their own, and take their time.
            $0.stages = [.redact()]
            $0.capturesShared = false
            change(&$0)
        }
    }

    /// Runs a test in a mode; what was wrong.
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

    /// The text of a fixture.
    func text(_ name: String = "test.har") throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }
}

extension URLSession {
    /// The text and the status that a URL gives.
    func text(_ url: URL) async throws -> String { try await text(URLRequest(url: url)) }

    func text(_ request: URLRequest) async throws -> String {
        let (data, response) = try await data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        return "\(status) " + String(decoding: data, as: UTF8.self)
    }
}

extension URLRequest {
    /// A request with a body.
    init(_ url: URL, post body: String, type: String = "application/json") {
        self.init(url: url)
        httpMethod = "POST"
        httpBody = Data(body.utf8)
        setValue(type, forHTTPHeaderField: "Content-Type")
    }
}
