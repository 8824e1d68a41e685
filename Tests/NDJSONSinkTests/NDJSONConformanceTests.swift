// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import Testing

@testable import NDJSONSink

@Suite struct NDJSONConformanceTests {
    @Test(arguments: [
        "path: out.ndjson",
        "{ path: 'out-{n}.ndjson', sync: batch, rotate: { size: 20KiB } }",
        "{ path: out.ndjson, rotate: { size: 20KiB } }",
    ])
    func conforms(options: String) async throws {
        try FileLimitTests.setLimit()
        let violations = await Conformance.violations(
            of: .ndjson,
            options: options,
            settings: ConformanceSettings(failing: ["path: no/out.ndjson", "path: '-'"]),
            // A rotated file is never full; `FullDiskTests` fills its disk.
            outage: options.contains("rotate") ? nil : FullFile().outage,
            stored: Self.ids
        )
        #expect(violations == [])
    }

    /// The ids in all files of a folder, with the fixed-name file last.
    @Sendable static func ids(in folder: String) throws -> [ExchangeID] {
        var ids: [ExchangeID] = []
        for name in try FileSystem.names(in: folder).sorted() {
            var bytes: [UInt8] = []
            let file = try File("\(folder)/\(name)", for: .read)
            while try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
            for line in bytes.split(separator: .ascii("\n")) {
                let start = #"{"v":1,"id":""#.utf8.count
                let text = Array(line.dropFirst(start).prefix(36))
                guard let id = ExchangeID(text.span) else { throw FixtureError() }
                ids.append(id)
            }
        }
        return ids
    }
}

/// Fills the current file up to the size limit of the process with a hole, then truncates it.
final class FullFile: Sendable {
    private let size = Mutex(0)

    var outage: Outage {
        Outage(
            begin: { folder in
                let file = try Self.current(in: folder)
                let size = try file.status().size
                self.size.withLock { $0 = size }
                try file.truncate(to: FileLimitTests.limit)
            },
            end: { folder in
                try Self.current(in: folder).truncate(to: self.size.withLock { $0 })
            }
        )
    }

    private static func current(in folder: String) throws -> File {
        let last = try FileSystem.names(in: folder).sorted().last
        return try File("\(folder)/\(try #require(last))", for: .append)
    }
}
