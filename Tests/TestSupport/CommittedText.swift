// SPDX-License-Identifier: MIT

import TaplineSystem
package import Testing

/// A text that a test computes and that a fixture stores, such as a table of states.
package enum CommittedText {
    /// Compares a text with a fixture of the caller's tests.
    ///
    /// If the environment variable `TAPLINE_RECORD_TABLES` is set, it writes the fixture again. That
    /// run fails, so that it is not mistaken for a check.
    ///
    /// - Parameters:
    ///   - text: The current text.
    ///   - name: The fixture's name.
    ///   - caller: The source file of the test.
    ///   - sourceLocation: The place of the issues.
    /// - Throws: `FileError` if the fixture cannot be read or written.
    package static func compare(
        _ text: String,
        with name: String,
        of caller: String = #filePath,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let path = TestFiles.fixture(name, of: caller)
        guard ProcessEnvironment.variables["TAPLINE_RECORD_TABLES"] == nil else {
            try File(path, for: .replace).write(text.utf8.span)
            Issue.record(
                "'\(name)' was written again; review the changes",
                sourceLocation: sourceLocation
            )
            return
        }
        let committed = String(decoding: try TestFiles.bytes(of: path), as: UTF8.self)
        guard text != committed else { return }
        let (new, old) = (lines(text), lines(committed))
        let number = zip(new, old).prefix { $0 == $1 }.reduce(0) { count, _ in count + 1 }
        let found = number < new.count ? "'\(new[number])'" : "the end"
        let expected = number < old.count ? "'\(old[number])'" : "the end"
        Issue.record(
            "\(name):\(number + 1): found \(found), expected \(expected)",
            sourceLocation: sourceLocation
        )
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }
}
