// SPDX-License-Identifier: MIT

import Testing

@testable import ReplaySource

@Suite("Files that were moved away from a followed path")
struct RotatedFilesTests {
    private let files = RotatedFiles(of: "/log/a.ndjson")

    private func file(_ name: String, _ inode: UInt64, at modified: Int64) -> RotatedFile {
        RotatedFile(
            name: name,
            identity: FileIdentity(device: 1, inode: inode),
            modified: modified
        )
    }

    @Test(
        "are known by a number or a date in their names",
        arguments: [
            ("a.ndjson.1", true), ("a.ndjson.12", true), ("a.ndjson-20261127", true),
            ("a.ndjson.2026-11-27T10:00:00Z", true), ("a.1.ndjson", true),
            ("a-2026-11-27T10-00-00.000.ndjson", true), ("a-2.ndjson", false),
            ("a.ndjson", false), ("a.ndjson.", false), ("a.ndjson1", false),
            ("a.ndjson.1.gz", false), ("a.ndjson.lock", false), ("a.ndjson.checkpoint", false),
            ("a.ndjson.17.tmp", false), ("b.ndjson.1", false), ("a.ndjso", false), ("a", false),
            ("ab.1.ndjson", false),
        ]
    )
    func names(name: String, isRotated: Bool) { #expect(files.isRotated(name) == isRotated) }

    @Test("have no other names if the path has no ending")
    func withoutEnding() {
        let files = RotatedFiles(of: "traffic")
        #expect(files.isRotated("traffic.1") && !files.isRotated("traffic"))
        #expect(!RotatedFiles(of: ".ndjson").isRotated(".2026-11-27.ndjson"))
    }

    @Test("follow each other as they were written, then by number, then by name")
    func order() {
        let last = file("a.ndjson", 1, at: 100)
        let all = [
            file("a.ndjson.1", 5, at: 300), file("a.ndjson.2", 4, at: 200),
            file("a.ndjson.3", 3, at: 200), file("a.ndjson.4", 1, at: 100),
            file("a.ndjson.5", 2, at: 100), file("a.ndjson.6", 8, at: 50),
            file("other", 6, at: 150), file("a.ndjson", 7, at: 400),
        ]
        var read: [FileIdentity] = []
        var order: [String] = []
        var before = last
        while let next = files.next(
            after: before,
            of: all,
            awaited: [],
            besides: Set(read + [all[7].identity])
        ) {
            read.append(next.identity)
            order.append(next.name)
            before = next
        }
        #expect(order == ["a.ndjson.3", "a.ndjson.2", "a.ndjson.1"])
    }

    @Test("are found under any name if the path has named them")
    func awaited() {
        let last = file("a.ndjson", 1, at: 100)
        let all = [file("a.ndjson.old", 2, at: 90), file("a.ndjson.older", 3, at: 95)]
        let identities = all.map(\.identity)
        #expect(files.next(after: last, of: all, awaited: [], besides: []) == nil)
        let next = files.next(after: last, of: all, awaited: identities, besides: [])
        #expect(next == all[0])
        #expect(
            files.next(after: last, of: all, awaited: identities, besides: [identities[0]])
                == all[1]
        )
    }
}
