// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TaplineFiles

/// A server on loopback that Python runs.
class PythonServer: @unchecked Sendable {
    let url: String
    private let id: Int32

    /// Starts a program, which prints its port, and waits until it does.
    init(_ program: String) throws {
        let output = Pipe()
        let process = try ChildProcess(
            ["/usr/bin/python3", "-c", program],
            environment: ProcessEnvironment.variables,
            input: .nothing,
            output: output.fileHandleForWriting.fileDescriptor
        )
        id = process.id
        url = "http://127.0.0.1:\(Self.line(output.fileHandleForReading.fileDescriptor))"
    }

    deinit {
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
    }

    /// The URL of a path.
    func path(_ path: String) -> URL {
        guard let url = URL(string: url + path) else { preconditionFailure("no URL: \(path)") }
        return url
    }

    /// Reads a line; Foundation's handles end the process when a signal comes while they wait.
    static func line(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(descriptor, &byte, 1)
            if count == 1, byte != UInt8(ascii: "\n") {
                bytes.append(byte)
            } else if count >= 0 || errno != EINTR {
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }
}
