// SPDX-License-Identifier: MIT

import Dispatch
import TaplineSystem

/// Runs a program for at most two minutes and returns its standard output; its errors are
/// discarded.
package func command(_ name: String, _ arguments: [String]) throws -> String {
    // Foundation's Process crashes if many files are open.
    let words = ["/bin/sh", "-c", "exec \"$0\" \"$@\" 2>/dev/null", name] + arguments
    return try ChildProcess.run(
        words,
        environment: ProcessEnvironment.variables,
        seconds: 120,
        maxBytes: 1 << 28
    ).text
}

/// Runs a program on another thread; see the synchronous function.
package func command(_ name: String, _ arguments: [String]) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Result { try command(name, arguments) })
        }
    }
}

/// Python programs of tests: the fixtures that end in `.py`.
package enum Python {
    /// Returns the command line of a program.
    ///
    /// The program ends with the process that starts it, however that ends.
    ///
    /// - Parameters:
    ///   - name: The fixture's name without `.py`.
    ///   - arguments: Its arguments.
    ///   - caller: The source file of the test.
    /// - Returns: The path of the interpreter, and its arguments.
    package static func words(
        _ name: String,
        _ arguments: [String] = [],
        of caller: String = #filePath
    ) -> [String] {
        // `-B`: writes no compiled modules beside the fixtures.
        ["/usr/bin/python3", "-B", TestFiles.fixture("launcher.py")]
            + [TestFiles.fixture("\(name).py", of: caller)] + arguments
    }

    /// Runs a program and returns its standard output.
    package static func run(
        _ name: String,
        _ arguments: [String] = [],
        of caller: String = #filePath
    ) throws -> String {
        let words = words(name, arguments, of: caller)
        return try command(words[0], Array(words.dropFirst()))
    }

    /// Runs a program on another thread and returns its standard output.
    package static func run(
        _ name: String,
        _ arguments: [String] = [],
        of caller: String = #filePath
    ) async throws -> String {
        let words = words(name, arguments, of: caller)
        return try await command(words[0], Array(words.dropFirst()))
    }
}
