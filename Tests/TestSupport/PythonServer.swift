// SPDX-License-Identifier: MIT

package import Foundation
import Glibc
import TaplineSystem

/// A loopback server that runs in Python.
open class PythonServer: @unchecked Sendable {
    /// Its URL, without a path.
    package let url: String
    /// Its port.
    package let port: Int
    private var process: ChildProcess?

    /// Why a server could not be started.
    package struct Failure: Error {
        /// A description.
        package let message: String
    }

    /// Starts a program and waits until it prints its port.
    ///
    /// - Parameters:
    ///   - name: The fixture's name without `.py`.
    ///   - arguments: Its arguments.
    ///   - scheme: The scheme of its URL.
    ///   - caller: The source file of the test.
    /// - Throws: `Failure` if it prints no port within a minute.
    package init(
        _ name: String,
        arguments: [String] = [],
        scheme: String = "http",
        of caller: String = #filePath
    ) throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw Failure(message: "no pipe for '\(name)'")
        }
        let output = File(owning: ends[0], named: "output of '\(name)'")
        let writer = File(owning: ends[1], named: "output of '\(name)'")
        let process = try ChildProcess(
            Python.words(name, arguments, of: caller),
            environment: ProcessEnvironment.variables,
            input: .nothing,
            output: ends[1]
        )
        // The output ends with the program.
        try writer.close()
        let text = try Self.firstLine(output)
        guard let port = Int(text) else {
            process.end()
            _ = try process.wait()
            throw Failure(message: "'\(name)' printed no port, but '\(text)'")
        }
        self.process = consume process
        self.port = port
        url = "\(scheme)://127.0.0.1:\(port)"
    }

    deinit {
        if let process = process.take() {
            process.end()
            _ = try? process.wait()
        }
    }

    /// Returns the URL of a path.
    package func path(_ path: String) -> URL {
        guard let url = URL(string: url + path) else { preconditionFailure("no URL: \(path)") }
        return url
    }

    /// Returns the first line of the output; all of it if it ends before that.
    private static func firstLine(_ output: borrowing File) throws -> String {
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n") {
            guard try output.waitForInput(milliseconds: 60_000),
                try output.read(appendingTo: &bytes, atMost: 1) > 0
            else { break }
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
