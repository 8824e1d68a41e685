// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A program that was started; its owner waits for its end.
///
/// It gets the three standard streams and nothing else that is open, and its signals act as they do
/// by default, whatever this process ignores.
public struct ChildProcess: ~Copyable, Sendable {
    /// Where a program's standard input comes from.
    public enum Input: Sendable {
        /// From where ours comes, so that it can ask a person.
        case inherited
        /// From nowhere: it ends at once.
        case nothing
    }

    /// How a program ended.
    public struct Ending: Sendable, Equatable {
        /// What it ended with; as a shell has it, 128 and the signal's number where one ended it.
        public let code: Int32

        /// Whether all went well.
        public var isSuccess: Bool { code == 0 }

        init(status: Int32) {
            let signal = status & 0x7f
            code = signal == 0 ? (status >> 8) & 0xff : 128 + signal
        }
    }

    /// The system's number for it.
    public let id: Int32
    /// Whether it leads a group of its own, which then ends with it.
    private let leadsGroup: Bool

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: The program, by its path, and its arguments.
    ///   - environment: The variables that it gets, and no others.
    ///   - input: Where its input comes from; without one it gets a process group of its own.
    ///   - output: Where its output and its errors go; where ours go if it is nothing.
    /// - Throws: `FileError` where the system cannot start it.
    public init(
        _ words: [String],
        environment: [String: String],
        input: Input = .inherited,
        output: Int32? = nil
    ) throws(FileError) {
        leadsGroup = input == .nothing
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard unsafe posix_spawn_file_actions_init(&actions) == 0,
            unsafe posix_spawnattr_init(&attributes) == 0
        else { throw FileError("start", words.first ?? "", code: ENOMEM) }
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        if input == .nothing {
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        if let output {
            unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
            unsafe posix_spawn_file_actions_adddup2(&actions, output, 2)
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

    /// Waits for the end (waitpid(2)).
    public consuming func wait() throws(FileError) -> Ending {
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0 {
            guard errno == EINTR else { throw FileError.last("wait for", "process \(id)") }
        }
        return Ending(status: status)
    }

    /// Sends a signal, to its whole group where it leads one.
    public func send(signal: Int32) { _ = kill(leadsGroup ? -id : id, signal) }

    /// Ends it at once; it is waited for all the same.
    public func end() { send(signal: SIGKILL) }

    /// The path of a program of a name, as a shell finds it.
    ///
    /// - Parameters:
    ///   - name: Its name, or a path, which is then taken as it is.
    ///   - path: The folders, as `PATH` has them.
    /// - Returns: Nothing where it is not installed.
    public static func find(_ name: String, in path: String?) -> String? {
        places(of: name, in: path).first { place in
            unsafe access(place, X_OK) == 0 && isFile(place)
        }
    }

    /// Whether there is something of a program's name, be it that it can be run or not.
    ///
    /// - Parameters:
    ///   - name: As `find` has it.
    ///   - path: As `find` has it.
    /// - Returns: Whether there is a file in one of the folders, or anything at a path.
    public static func isAnywhere(_ name: String, in path: String?) -> Bool {
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

// MARK: - Programs with an output that is read

extension ChildProcess {
    /// What a program said, and how it ended.
    public struct Report: Sendable, Equatable {
        /// How it ended; nothing where it did not in time.
        public let ending: Ending?
        /// What it wrote to its output and as errors, in the order in which it did.
        public let output: [UInt8]

        /// Whether it ended well.
        public var isSuccess: Bool { ending?.isSuccess == true }
        /// What it wrote, as text.
        public var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// Runs a program to its end, or to the end of its time.
    ///
    /// - Parameters:
    ///   - words: The program, by its path, and its arguments.
    ///   - environment: The variables that it gets.
    ///   - input: Where its input comes from.
    ///   - seconds: How long it may take.
    ///   - maxBytes: How much of what it writes is kept.
    /// - Returns: How it ended, and what it wrote.
    /// - Throws: `FileError` where it cannot be started.
    public static func run(
        _ words: [String],
        environment: [String: String],
        input: Input = .nothing,
        seconds: Int = 60,
        maxBytes: Int = 65_536
    ) throws(FileError) -> Report {
        var ends: [Int32] = [-1, -1]
        // A pair of sockets, since only that can be made unseen by programs which other threads start.
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
            // It has closed its output before its end, which follows at once as a rule.
            usleep(2000)
            isInTime = ContinuousClock.now < end
        }
        child.end()
        _ = try child.wait()
        return Report(ending: nil, output: kept)
    }

    /// How it ended, where it has; then it must not be waited for any more.
    private func ended() throws(FileError) -> Ending? {
        var status: Int32 = 0
        let found = unsafe waitpid(id, &status, WNOHANG)
        guard found >= 0 || errno == EINTR else {
            throw FileError.last("wait for", "process \(id)")
        }
        return found > 0 ? Ending(status: status) : nil
    }
}

/// Texts as C wants them for `exec`: pointers with a null after them.
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
