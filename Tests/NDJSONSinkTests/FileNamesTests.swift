// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import NDJSONSink

@Suite struct FileNamesTests {
    let folder: TemporaryFolder
    let moment = Timestamp(rfc3339: "2026-11-20T14:03:00Z") ?? Timestamp(microseconds: 0)

    init() throws { folder = try TemporaryFolder() }

    func names(_ template: String) throws -> FileNames {
        FileNames(template: try NameTemplate(folder(template)))
    }

    @Test(arguments: [
        ([], "a-000001", "a-000001"), (["a-000007", "a-000003"], "a-000007", "a-000008"),
        (["a-000007.gz", "a-000006"], "a-000008", "a-000008"),
        (["a-000007.zst", "a-000007"], "a-000007", "a-000008"),
        (["a-7", "b-000009", "a-000009.txt"], "a-000001", "a-000001"),
        (["a-999999"], "a-999999", "a-1000000"),
    ])
    func continuesAfterTheHighestNumber(there: [String], current: String, next: String) throws {
        for name in there { try folder.write("", to: name) }
        let names = try names("a-{n}")
        #expect(try names.current(at: moment) == folder(current))
        #expect(try names.next(at: moment) == folder(next))
    }

    @Test func countsOnlyFilesOfTheSameDate() throws {
        for name in ["2026-11-19-000009", "2026-11-20-000002"] { try folder.write("", to: name) }
        let names = try names("%Y-%m-%d-{n}")
        #expect(try names.next(at: moment) == folder("2026-11-20-000003"))
    }

    @Test func numbersFinishedFilesAfterTheLast() throws {
        let names = try names("a.x")
        #expect(try names.current(at: moment) == folder("a.x"))
        #expect(try names.archive(of: folder("a.x")) == folder("a.000001.x"))
        try folder.write("", to: "a.000004.x.gz")
        #expect(try names.archive(of: folder("a.x")) == folder("a.000005.x"))
    }

    @Test func comparesDates() throws {
        let names = try names("%d-%m-%Y")
        #expect(names.isLater("01-12-2026", than: "30-11-2026"))
        #expect(!names.isLater("30-11-2026", than: "01-12-2026"))
        #expect(!names.isLater("30-11-2026", than: "30-11-2026"))
        #expect(!names.isLater("other", than: "30-11-2026"))
    }

    @Test func reportsAMissingFolder() throws {
        let names = FileNames(template: try NameTemplate(folder("no/a-{n}")))
        let error = #expect(throws: FileError.self) { try names.current(at: moment) }
        #expect(error?.isMissing == true)
    }
}
