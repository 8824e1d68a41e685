// SPDX-License-Identifier: MIT

import TaplinePlugin
import TestSupport
import Testing

@testable import ReplaySource

@Suite("The progress of followed files")
struct FollowProgressTests {
    private func mark(_ offset: Int) -> FollowMark {
        FollowMark(identity: FileIdentity(device: 1, inode: 1), head: [], offset: offset)
    }

    @Test("frees its checkpoint at its end, although batches are not acknowledged")
    func end() throws {
        let folder = try TemporaryFolder()
        let path = folder("state")
        let progress = FollowProgress(try FollowCheckpoint(path), log: LogBook().log)
        let first = progress.issue("a", mark(10))
        let second = progress.issue("a", mark(20))
        progress.acknowledge(first)
        #expect(throws: ReplayError.self) { _ = try FollowCheckpoint(path) }
        progress.end()
        let successor = try FollowCheckpoint(path)
        #expect(successor.found["a"]?.mark.offset == 10)
        // The acknowledgement in a queue keeps the progress, but writes nothing any more.
        progress.acknowledge(second)
        progress.commit()
        #expect(progress.isComplete)
        successor.unlock()
        #expect(try FollowCheckpoint(path).found["a"]?.mark.offset == 10)
    }
}
