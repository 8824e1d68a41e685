// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineSystem
import Testing

@testable import TaplineCassettes

/// The file of a fixture.
@Suite struct FixtureTests {
    private let test: RecordedTest

    init() throws { test = try RecordedTest() }

    /// Others check out, build and test the same sources.
    @Test func aFixtureHasThePermissionsOfASourceFile() async throws {
        try await test.run(test.options(.record), as: "folder/test") { (recording) async throws in
            _ = try? await recording.session.text(.refused)
        }
        // The umask of this process, which cannot be read without setting it.
        let probe = "\(test.folder)/probe"
        try FileManager.default.createDirectory(atPath: probe, withIntermediateDirectories: false)
        #expect(FileManager.default.createFile(atPath: "\(probe)/file", contents: nil))
        func permissions(_ path: String) throws -> UInt32? {
            try FileSystem.status(of: "\(test.folder)/\(path)")?.permissions
        }
        let folder = try permissions("folder")
        #expect(try folder != 0o700 && folder == permissions("probe"))
        let file = try permissions("folder/test.har")
        #expect(try file != 0o600 && file == permissions("probe/file"))
    }
}
