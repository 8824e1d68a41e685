// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import NDJSONSink

@Suite struct SegmentTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func open(_ name: String) throws -> Segment { try Segment(folder(name)) { _ in } }

    @Test func revertsToTheLastCommit() throws {
        let segment = try open("a")
        try segment.append("{1}\n".utf8.span)
        segment.commit()
        try segment.append("{2}\n".utf8.span)
        try segment.append("{3}\n".utf8.span)
        #expect(segment.size == 12)
        try segment.revert()
        #expect(segment.size == 4)
        try segment.revert()
        try segment.append("{4}\n".utf8.span)
        segment.commit()
        try segment.revert()
        #expect(try folder.read("a") == "{1}\n{4}\n")
    }

    @Test func isSyncedUntilItIsWrittenTo() throws {
        let segment = try open("a")
        #expect(segment.isSynced)
        try segment.append("{1}\n".utf8.span)
        #expect(!segment.isSynced)
        try segment.sync()
        #expect(segment.isSynced)
    }

    @Test func staysLockedWhenMoved() throws {
        let segment = try open("a")
        try segment.move(to: folder("b"))
        #expect(segment.path == folder("b"))
        #expect(throws: NDJSONError.self) { try open("b") }
        _ = try open("a")
        segment.unlock()
        _ = try open("b")
    }

    @Test func detectsChangesByOtherProcesses() throws {
        let segment = try open("a")
        try segment.append("{1}\n".utf8.span)
        segment.commit()
        var log: [String] = []
        #expect(try segment.refresh { log.append($0) })
        #expect(log == [])
        try folder.write("", to: "a")
        #expect(try segment.refresh { log.append($0) })
        #expect(
            log == ["'\(folder("a"))' was changed by another program; it had 4 bytes, now it has 0"]
        )
        #expect(segment.size == 0)
        // A failed batch leaves no hole now.
        try segment.append("{2}\n".utf8.span)
        try segment.revert()
        #expect(try folder.read("a") == "")
        #expect(try segment.isInPlace)
        try FileSystem.remove(folder("a"))
        #expect(try !segment.isInPlace)
        #expect(try !segment.refresh { _ in })
    }

    @Test func reportsTheTimeOfTheLastWrite() throws {
        let segment = try open("a")
        #expect(try segment.lastWritten == nil)
        try segment.append("{1}\n".utf8.span)
        let written = try segment.lastWritten
        #expect(try #require(written) > Timestamp(microseconds: 1_600_000_000_000_000))
    }
}
