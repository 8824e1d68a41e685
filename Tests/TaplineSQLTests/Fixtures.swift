// SPDX-License-Identifier: MIT

import Glibc
import TaplineSQL

/// A failed system call in a test.
struct SystemFailure: Error {
    let step: String
}

/// Runs a shell command; returns its output without the last line end.
func shell(_ command: String) throws -> String {
    let output = try Command(command)
    var lines: [String] = []
    while let line = output.line() {
        lines.append(line)
    }
    return lines.joined(separator: "\n")
}

/// A running shell command whose output is read line by line.
@safe final class Command {
    private let pipe: UnsafeMutablePointer<FILE>

    init(_ command: String) throws {
        guard let pipe = unsafe popen(command, "r") else {
            throw SystemFailure(step: "popen")
        }
        unsafe self.pipe = pipe
    }

    deinit {
        unsafe pclose(pipe)
    }

    func line() -> String? {
        var line: [UInt8] = []
        while true {
            let character = unsafe fgetc(pipe)
            guard character >= 0 else {
                return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
            }
            guard character != 10 else {
                return String(decoding: line, as: UTF8.self)
            }
            line.append(UInt8(truncatingIfNeeded: character))
        }
    }
}

/// The permissions of a file in octal, such as "600".
func mode(of path: String) throws -> String {
    try shell("stat -c %a '\(path)'")
}

extension SQLiteConnection {
    /// The error of statements, as a value.
    func failure(_ sql: String) -> SQLiteError? {
        do throws(SQLiteError) {
            try execute(sql)
            return nil
        } catch {
            return error
        }
    }
}

extension SQLiteStatement {
    func bind(_ index: Int32, text bytes: [UInt8]) throws(SQLiteError) {
        try bind(index, text: bytes.span)
    }

    func bind(_ index: Int32, blob bytes: [UInt8]) throws(SQLiteError) {
        try bind(index, blob: bytes.span)
    }
}
