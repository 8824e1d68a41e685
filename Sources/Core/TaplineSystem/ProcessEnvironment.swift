// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The environment that the process was started with.
package enum ProcessEnvironment {
    /// All variables; if a name occurs twice, the first one is used, as in `getenv(3)`.
    package static var variables: [String: String] {
        var variables: [String: String] = [:]
        var position = unsafe environ
        while let entry = unsafe position.pointee {
            let text = unsafe String(cString: entry)
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if parts.count == 2, variables[name] == nil { variables[name] = String(parts[1]) }
            unsafe position += 1
        }
        return variables
    }

    /// The words that the process was started with; the first one is the program.
    ///
    /// Swift looks for them beside the environment in memory, and finds none if a preloaded library
    /// has set a variable before `main`, as libfaketime does.
    package static var arguments: [String] {
        let words = CommandLine.arguments
        return words.isEmpty ? kernelArguments : words
    }

    /// The same words from the kernel, each of which ends with a zero byte (proc_pid_cmdline(5)).
    static var kernelArguments: [String] {
        var bytes: [UInt8] = []
        do throws(FileError) {
            let file = try File("/proc/self/cmdline", for: .read)
            while try file.read(appendingTo: &bytes, atMost: 1 << 16) > 0 {}
        } catch {
            return []
        }
        return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
