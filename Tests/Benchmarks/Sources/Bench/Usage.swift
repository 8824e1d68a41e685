// SPDX-License-Identifier: MIT

internal import Glibc

/// The resource usage of a measurement: processor time of all threads, elapsed time, memory.
struct Usage {
    /// User and system time together, in microseconds.
    var processor: Double
    /// Elapsed time, in seconds.
    var wall: Double
    /// The peak resident set, in MiB.
    var peak: Double = 0

    private static func microseconds(_ usage: rusage) -> Double {
        func one(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
        return one(usage.ru_utime) + one(usage.ru_stime)
    }

    private static var clock: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static var own: Double {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return microseconds(usage)
    }

    /// Runs a closure in this process.
    static func of(_ body: () -> Void) -> Usage {
        let wall = clock
        let processor = own
        body()
        return Usage(processor: own - processor, wall: clock - wall)
    }

    /// Runs a command and waits for it; output and messages go to files, and the exit code must be
    /// 0.
    static func ofCommand(_ words: [String], output: String, messages: String) -> Usage {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_addopen(
            &actions,
            1,
            output,
            O_WRONLY | O_CREAT | O_TRUNC,
            0o600
        )
        unsafe posix_spawn_file_actions_addopen(
            &actions,
            2,
            messages,
            O_WRONLY | O_CREAT | O_TRUNC,
            0o600
        )
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var process: pid_t = 0
        let start = clock
        let code = unsafe posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
        guard code == 0 else { fail("'\(words[0])' cannot be started: \(code)") }
        var status: CInt = 0
        var usage = rusage()
        while unsafe wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
        let wall = clock - start
        unsafe arguments.forEach { unsafe free($0) }
        unsafe posix_spawn_file_actions_destroy(&actions)
        guard status == 0 else {
            fail("'\(words.joined(separator: " "))' failed, see '\(messages)'")
        }
        return Usage(
            processor: microseconds(usage),
            wall: wall,
            peak: Double(usage.ru_maxrss) / 1024
        )
    }
}

/// Ends the process with a message.
func fail(_ text: String) -> Never {
    let line = Array("bench: \(text)\n".utf8)
    _ = unsafe write(STDERR_FILENO, line, line.count)
    exit(1)
}

/// Formats a number with `digits` digits after the decimal point.
func text(_ number: Double, _ digits: Int = 1) -> String {
    let factor = digits == 0 ? 1.0 : digits == 1 ? 10 : 100
    let scaled = Int((number * factor).rounded())
    guard digits > 0 else { return "\(scaled)" }
    let fraction = "\(scaled % Int(factor))"
    let zeros = String(repeating: "0", count: digits - fraction.utf8.count)
    return "\(scaled / Int(factor)).\(zeros)\(fraction)"
}
