// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineModel
import TaplinePlugin
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand

/// The same exchanges in a database and in a recording, written by a run.
struct StoredTraffic {
    let folder: TemporaryFolder
    let database: String
    let recording: String

    /// Writes exchanges; further options of the sink `sqlite` begin with a comma.
    init(_ exchanges: [Exchange], sqlite options: String = "") async throws {
        folder = try TemporaryFolder()
        database = folder("traffic.db")
        recording = folder("traffic.ndjson")
        try await Self.write(
            exchanges,
            to: "{ sqlite: { path: \(database)\(options) } }, { ndjson: { path: \(recording) } }"
        )
    }

    /// Writes exchanges to a database, without a recording next to it.
    static func write(_ exchanges: [Exchange], toDatabase path: String) async throws {
        try await write(exchanges, to: "{ sqlite: { path: \(path) } }")
    }

    /// Writes exchanges to a recording.
    static func write(_ exchanges: [Exchange], toRecording path: String) async throws {
        try await write(exchanges, to: "{ ndjson: { path: \(path) } }")
    }

    private static func write(_ exchanges: [Exchange], to sinks: String) async throws {
        let pipeline = "version: 1\nsources: [script]\nsinks: [\(sinks)]\n"
        let plugins = scripted(exchanges, into: RecordingSink())
        let outcome = try await withFile(pipeline) { file in
            await tapline("run", file, "--quiet", plugins: plugins)
        }
        try #require(outcome.code == .success, "\(outcome.errors)")
    }

    /// Examples; those with numbers that end in 7 failed.
    static func someFailed(_ count: Int) -> [Exchange] {
        (0..<count).map { Exchange.example($0, status: $0 % 10 == 7 ? 500 : 200) }
    }
}

/// The ids of examples, as the command shows them.
func ids(_ numbers: [Int]) -> [String] {
    numbers.map { Exchange.example($0).id.description }
}
