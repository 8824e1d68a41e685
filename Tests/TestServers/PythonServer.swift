// SPDX-License-Identifier: MIT

public import Foundation
import Glibc
import TaplineSystem

/// A loopback server that runs in Python.
open class PythonServer: @unchecked Sendable {
    /// Its URL, without a path.
    public let url: String
    private let id: Int32

    /// Starts a program and waits until it prints its port.
    public init(_ program: String, arguments: [String] = [], scheme: String = "http") throws {
        let output = Pipe()
        let process = try ChildProcess(
            ["/usr/bin/python3", "-c", PythonServer.prelude + program] + arguments,
            environment: ProcessEnvironment.variables,
            input: .nothing,
            output: output.fileHandleForWriting.fileDescriptor
        )
        id = process.id
        url = "\(scheme)://127.0.0.1:\(Self.line(output.fileHandleForReading.fileDescriptor))"
    }

    /// Ends the server with the tests, because the last servers are never released.
    private static let prelude = """
        import os, threading, time
        def follow(parent):
            while os.getppid() == parent: time.sleep(1)
            os._exit(0)
        threading.Thread(target=follow, args=(os.getppid(),), daemon=True).start()

        """

    deinit {
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
    }

    /// Returns the URL of a path.
    public func path(_ path: String) -> URL {
        guard let url = URL(string: url + path) else { preconditionFailure("no URL: \(path)") }
        return url
    }

    /// Reads a line; Foundation's handles end the process if a signal arrives while they wait.
    public static func line(_ descriptor: Int32) -> String {
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
