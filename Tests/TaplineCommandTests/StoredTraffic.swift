// SPDX-License-Identifier: MIT

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
        let pipeline = """
            version: 1
            sources: [script]
            sinks:
              - sqlite: { path: \(database)\(options) }
              - ndjson: { path: \(recording) }
            """
        let plugins = scripted(exchanges, into: RecordingSink())
        let outcome = try await withFile(pipeline) { path in
            await tapline("run", path, "--quiet", plugins: plugins)
        }
        try #require(outcome.code == .success, "\(outcome.errors)")
    }
}
