// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A started program; its owner waits for it to exit.
///
/// The program inherits the three standard streams and no other open file. Signals have their
/// default actions in it, whatever this process ignores.
package struct ChildProcess: ~Copyable, Sendable {
    /// The standard input of a program.
    package enum Input: Sendable, Equatable {
        /// The standard input of this process, so that the program can prompt the user.
        case inherited
        /// No input: reading ends at once.
        case nothing
        /// The reading end of a pipe.
        case pipe(Int32)
    }

    /// How a program exited.
    package struct Ending: Sendable, Equatable {
        /// The exit code; as in a shell, 128 plus the signal number if a signal ended the program.
        package let code: Int32

        /// Whether the program succeeded.
        package var isSuccess: Bool { code == 0 }

        init(status: Int32) {
            let signal = status & 0x7f
            code = signal == 0 ? (status >> 8) & 0xff : 128 + signal
        }
    }

    /// The process id.
    package let id: Int32
    /// Whether it leads a process group of its own, which is signalled as a whole.
    private let leadsGroup: Bool

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: The path of the program, and its arguments.
    ///   - environment: All variables that it gets.
    ///   - input: Its standard input; with `nothing`, it gets a process group of its own.
    ///   - output: Where its output and errors are written; the streams of this process if `nil`.
    ///   - errors: Where its errors are written, if not to `output`.
    ///   - ownGroup: Whether it gets a process group of its own with any input.
    /// - Throws: `FileError` if the system cannot start it.
    package init(
        _ words: [String],
        environment: [String: String],
        input: Input = .inherited,
        output: Int32? = nil,
        errors: Int32? = nil,
        ownGroup: Bool = false
    ) throws(FileError) {
        leadsGroup = ownGroup || input == .nothing
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard unsafe posix_spawn_file_actions_init(&actions) == 0,
            unsafe posix_spawnattr_init(&attributes) == 0
        else { throw FileError("start", words.first ?? "", code: ENOMEM) }
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        switch input {
        case .inherited: break
        case .nothing:
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        case .pipe(let end):
            unsafe posix_spawn_file_actions_adddup2(&actions, end, 0)
        }
        if let output {
            unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
            unsafe posix_spawn_file_actions_adddup2(&actions, errors ?? output, 2)
        }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags =
            POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
            | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        let arguments = CStringList(words)
        let variables = CStringList(environment.map { "\($0.key)=\($0.value)" })
        var id = pid_t()
        let status = unsafe posix_spawn(
            &id,
            words.first ?? "",
            &actions,
            &attributes,
            arguments.pointers,
            variables.pointers
        )
        guard status == 0 else { throw FileError("start", words.first ?? "", code: status) }
        self.id = id
    }

    /// Waits for the program to exit (waitpid(2)).
    package consuming func wait() throws(FileError) -> Ending {
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0 {
            guard errno == EINTR else { throw FileError.last("wait for", "process \(id)") }
        }
        return Ending(status: status)
    }

    /// Sends a signal, to the whole group if the program leads one.
    package func send(signal: Int32) { _ = kill(leadsGroup ? -id : id, signal) }

    /// Kills the program at once; the owner must still wait for it.
    package func end() { send(signal: SIGKILL) }

    /// Finds the path of a program like a shell does.
    ///
    /// - Parameters:
    ///   - name: Its name, or a path, which is used unchanged.
    ///   - path: The folders, as in `PATH`.
    /// - Returns: The path; `nil` if the program is not installed.
    package static func find(_ name: String, in path: String?) -> String? {
        places(of: name, in: path).first { place in
            unsafe access(place, X_OK) == 0 && isFile(place)
        }
    }

    /// Whether a file with the program's name exists, even if it cannot be executed.
    ///
    /// - Parameters:
    ///   - name: As for `find`.
    ///   - path: As for `find`.
    /// - Returns: Whether there is a file in one of the folders, or anything at the path.
    package static func isAnywhere(_ name: String, in path: String?) -> Bool {
        places(of: name, in: path).contains { place in
            unsafe access(place, F_OK) == 0 && (name.contains("/") || isFile(place))
        }
    }

    private static func places(of name: String, in path: String?) -> [String] {
        if name.contains("/") { return [name] }
        return (path ?? "").split(separator: ":").map { "\($0)/\(name)" }
    }

    private static func isFile(_ place: String) -> Bool {
        (try? FileSystem.status(of: place))??.kind == .regular
    }
}

// MARK: - Running programs for their output

extension ChildProcess {
    /// The output of a program, and how it exited.
    package struct Report: Sendable, Equatable {
        /// How it exited; `nil` if it did not exit in time.
        package let ending: Ending?
        /// What it wrote to standard output and standard error, in order.
        package let output: [UInt8]

        /// Whether it exited successfully.
        package var isSuccess: Bool { ending?.isSuccess == true }
        /// The output as text.
        package var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// Runs a program until it exits or times out.
    ///
    /// - Parameters:
    ///   - words: The path of the program, and its arguments.
    ///   - environment: The variables that it gets.
    ///   - input: Its standard input.
    ///   - seconds: The time limit.
    ///   - maxBytes: How much of the output is kept.
    /// - Returns: How it exited, and its output.
    /// - Throws: `FileError` if it cannot be started.
    package static func run(
        _ words: [String],
        environment: [String: String],
        input: Input = .nothing,
        seconds: Int = 60,
        maxBytes: Int = 65_536
    ) throws(FileError) -> Report {
        var ends: [Int32] = [-1, -1]
        // A socket pair, since only that can be created without being inherited by programs that
        // other threads start.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw FileError.last("make", "pipe")
        }
        let output = File(owning: ends[0], named: "output of '\(words.first ?? "")'")
        let writer = File(owning: ends[1], named: "output of '\(words.first ?? "")'")
        let child = try ChildProcess(
            words,
            environment: environment,
            input: input,
            output: writer.descriptor
        )
        try writer.close()
        let end = ContinuousClock.now + .seconds(seconds)
        var kept: [UInt8] = []
        var isInTime = true
        do throws(FileError) {
            var piece: [UInt8] = []
            repeat {
                let left = ContinuousClock.now.duration(to: end).components
                let milliseconds =
                    Int(left.seconds) * 1000 + Int(left.attoseconds / 1_000_000_000_000_000)
                isInTime = try output.waitForInput(milliseconds: milliseconds)
                guard isInTime else { break }
                piece.removeAll(keepingCapacity: true)
                _ = try output.read(appendingTo: &piece, atMost: 16_384)
                kept += piece.prefix(maxBytes - kept.count)
            } while !piece.isEmpty
        } catch {
            isInTime = false
        }
        while isInTime {
            if let ending = try child.ended() { return Report(ending: ending, output: kept) }
            // The program has closed its output before exiting; it usually exits right after that.
            usleep(2000)
            isInTime = ContinuousClock.now < end
        }
        child.end()
        _ = try child.wait()
        return Report(ending: nil, output: kept)
    }

    /// Whether the program has exited; it still has to be waited for (waitid(2)).
    package var hasExited: Bool {
        var state = unsafe siginfo_t()
        let options = WEXITED | WNOHANG | WNOWAIT
        guard unsafe waitid(P_PID, id_t(id), &state, options) == 0 else { return false }
        return unsafe state.si_signo == SIGCHLD
    }

    /// How the program exited, if it has; after that it must not be waited for again.
    package func ended() throws(FileError) -> Ending? {
        var status: Int32 = 0
        let found = unsafe waitpid(id, &status, WNOHANG)
        guard found >= 0 || errno == EINTR else {
            throw FileError.last("wait for", "process \(id)")
        }
        return found > 0 ? Ending(status: status) : nil
    }
}

/// Strings as C's `exec` needs them: pointers followed by a null pointer.
@safe
private struct CStringList: ~Copyable {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        unsafe pointers = .allocate(capacity: texts.count + 1)
        for (index, text) in texts.enumerated() {
            unsafe (pointers + index).initialize(to: strdup(text))
        }
        unsafe (pointers + texts.count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { unsafe free(pointers[index]) }
        unsafe pointers.deallocate()
    }
}
