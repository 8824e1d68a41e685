// SPDX-License-Identifier: MIT

import Glibc
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineTestRunner

@Suite("The test finder")
struct TestFinderTests {
    @Test("searches folders in sorted order, and accepts files with any name")
    func search() throws {
        let folder = try TemporaryFolder([
            "b.test.yaml": "", "a.test.yaml": "", "c.yaml": "", ".hidden.test.yaml": "",
        ])
        try FileSystem.makeFolder("\(folder.path)/inner")
        try folder.write("", to: "inner/d.test.yaml")
        try FileSystem.makeFolder("\(folder.path)/.git")
        try folder.write("", to: ".git/e.test.yaml")
        // A link to the folder itself: a search that followed it again would never end.
        #expect(unsafe symlink(folder.path, "\(folder.path)/inner/loop") == 0)
        let found = try TestFinder.files(folder.path).map { $0.dropFirst(folder.path.count + 1) }
        #expect(found == ["a.test.yaml", "b.test.yaml", "inner/d.test.yaml"])
        #expect(try TestFinder.files("\(folder.path)/c.yaml") == ["\(folder.path)/c.yaml"])
        #expect(try TestFinder.files("/nowhere/at/all") == ["/nowhere/at/all"])
    }
}
