// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TaplineCassettes
import TaplineSystem
import Testing
import XCTest

/// The helper for XCTest, with the same fixtures.
final class XCTestCaseTests: XCTestCase {
    private var failures: [String] = []
    private var expectsFailures = false

    override func recordFailure(
        withDescription description: String,
        inFile filePath: String,
        atLine lineNumber: Int,
        expected: Bool
    ) {
        if expectsFailures { return failures.append(description) }
        super.recordFailure(
            withDescription: description,
            inFile: filePath,
            atLine: lineNumber,
            expected: expected
        )
    }

    func testSignsIn() async throws {
        try await recorded("login") { recording in
            let client = ShopClient(session: recording.session)
            let name = try await client.login("ann")
            XCTAssertEqual(name, "Ann of the fixture")
        }
    }

    func testWaitsOnItsThread() throws {
        let name = try recorded("login") { recording in
            let done = expectation(description: "done")
            let name = Mutex("")
            let client = ShopClient(session: recording.session)
            Task {
                let answer = try await client.login("ann")
                name.withLock { $0 = answer }
                done.fulfill()
            }
            wait(for: [done], timeout: 60)
            return name.withLock { $0 }
        }
        XCTAssertEqual(name, "Ann of the fixture")
    }

    func testARequestWithoutRecordingFails() async throws {
        expectsFailures = true
        let options = RecordedOptions { $0.matching.parts.insert(.body) }
        try await recorded("login", options) { recording in
            _ = try? await ShopClient(session: recording.session).login("bob")
        }
        expectsFailures = false
        XCTAssertEqual(failures.count, 1)
        XCTAssertTrue(failures[0].contains("body $.user: recorded 'ann', now 'bob'"))
    }
}

/// Whether an XCTest that fails writes a fixture; it is run here in the same way as by XCTest.
@Suite struct XCTestCaseFailureTests {
    final class Recorded: XCTestCase {}

    @Test(.serialized, arguments: [true, false])
    func anAssertionThatFailsWritesNothing(fails: Bool) async throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let options = RecordedOptions(folder: folder, capturesShared: false, mode: .record)
        // XCTest waits for tasks, which may need this thread.
        let failures = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let test = Recorded(name: "testRecorded") { test in
                    if !fails { XCTFail("before it was recorded") }
                    try test.recorded("test", options) { recording in
                        let done = DispatchSemaphore(value: 0)
                        recording.session.dataTask(with: .refused) { _, _, _ in done.signal() }
                            .resume()
                        done.wait()
                        XCTAssertFalse(fails)
                    }
                }
                test.run()
                continuation.resume(returning: test.testRun?.totalFailureCount)
            }
        }
        #expect(failures == 1)
        #expect(try FileSystem.names(in: folder) == (fails ? [] : ["test.har"]))
    }
}
