// SPDX-License-Identifier: MIT

import Glibc
import TaplineSystem

/// Runs a shell command for at most a minute; returns its output and its status.
package func runShell(_ command: String) throws -> (output: String, status: Int32) {
    let quoted = command.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''")
    guard let process = unsafe popen("timeout 60 sh -c '\(quoted)' 2>&1", "r") else {
        throw FileError("run", command, code: errno)
    }
    var output: [UInt8] = []
    var byte = unsafe fgetc(process)
    while byte != EOF {
        output.append(UInt8(truncatingIfNeeded: byte))
        byte = unsafe fgetc(process)
    }
    let status = unsafe pclose(process)
    return (String(decoding: output, as: UTF8.self), status >> 8)
}

/// Writes a new file.
package func write(_ bytes: [UInt8], to path: String) throws {
    try File(path, for: .create).write(bytes.span)
}
