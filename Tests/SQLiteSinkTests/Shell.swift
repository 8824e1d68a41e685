// SPDX-License-Identifier: MIT

import Glibc
import TaplineSystem
import TestSupport
import Testing

@testable import SQLiteSink

/// Runs system programs, mainly the `sqlite3` shell.
enum Shell {
    /// Runs a command line; returns its output without the last line end.
    @discardableResult
    static func run(_ command: String) throws -> String {
        let pipe = unsafe try #require(popen("{ \(command)\n} 2>&1", "r"))
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe fread(&buffer, 1, buffer.count, pipe)
            if count == 0 { break }
            output += buffer.prefix(count)
        }
        unsafe pclose(pipe)
        if output.last == UInt8(ascii: "\n") { output.removeLast() }
        return String(decoding: output, as: UTF8.self)
    }

    /// Queries with the `sqlite3` shell; columns are separated by `|`, rows by line ends.
    static func query(_ database: String, _ sql: String) throws -> String {
        try run("sqlite3 -readonly '\(database)' <<'END_OF_SQL'\n\(sql);\nEND_OF_SQL")
    }

    static func execute(_ database: String, _ sql: String) throws -> String {
        try run("sqlite3 '\(database)' <<'END_OF_SQL'\n\(sql);\nEND_OF_SQL")
    }
}

/// A `sqlite3` shell that stays open and keeps its locks.
@safe final class OpenShell {
    private let pipe: UnsafeMutablePointer<FILE>
    private let folder = try? TemporaryFolder()

    init(_ database: String) throws {
        unsafe pipe = try #require(popen("sqlite3 '\(database)' >/dev/null 2>&1", "w"))
    }

    deinit { unsafe pclose(pipe) }

    /// Runs statements and waits for them.
    func run(_ sql: String) throws {
        let folder = try #require(self.folder)
        let mark = folder("done")
        try FileSystem.remove(mark)
        unsafe fputs("\(sql);\n.shell touch '\(mark)'\n", pipe)
        unsafe fflush(pipe)
        try blockingWait(for: "the shell to run the statements") {
            try FileSystem.status(of: mark) != nil
        }
    }
}
