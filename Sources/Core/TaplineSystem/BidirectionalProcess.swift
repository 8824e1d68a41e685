// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A started program that this process writes to and reads from at the same time, without blocking.
///
/// Its standard streams are sockets, since only those can be created without being inherited by
/// programs that other threads start. It leads a process group of its own.
///
/// **Isolation**: one thread at a time; another one may read the output or write meanwhile.
package struct BidirectionalProcess: ~Copyable, Sendable {
    /// What a program writes.
    package enum Stream: Sendable {
        /// Its standard output.
        case output
        /// Its standard error.
        case errors
    }

    /// What of the output ends a wait.
    package enum OutputInterest: Sendable {
        /// Nothing.
        case none
        /// Its end, once no process can write to it any more.
        case end
        /// Data, and its end.
        case data
    }

    /// What can be done without waiting.
    package struct Readiness: Sendable, Equatable {
        /// Whether the output has data or has ended.
        package var output = false
        /// Whether the errors have data or have ended.
        package var errors = false
        /// Whether the input takes data, or has no reader any more.
        package var input = false
    }

    private let child: ChildProcess
    private let input: File
    /// What the program writes to its standard output.
    package let output: Output
    private let errors: File

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: The path of the program, and its arguments.
    ///   - environment: All variables that it gets.
    ///   - folder: Its working folder; that of this process if `nil`.
    /// - Throws: `FileError` if the system cannot start it.
    package init(
        _ words: [String],
        environment: [String: String],
        folder: String? = nil
    ) throws(FileError) {
        let name = words.first ?? ""
        let input = try SocketPair("input of '\(name)'")
        let output = try SocketPair("output of '\(name)'")
        let errors = try SocketPair("errors of '\(name)'")
        let signal = try WakeSignal()
        // The system's own call for this, posix_spawn_file_actions_addchdir_np, is not visible to Swift.
        let shell = ["/bin/sh", "-c", "cd -- \"$0\" && exec \"$@\""]
        let started = try ChildProcess(
            folder.map { shell + [$0] + words } ?? words,
            environment: environment,
            input: .pipe(input.theirs.descriptor),
            output: output.theirs.descriptor,
            errors: errors.theirs.descriptor,
            ownGroup: true
        )
        child = started
        self.input = input.ours
        self.output = Output(output.ours, signal)
        self.errors = errors.ours
    }

    /// The process id.
    package var id: Int32 { child.id }

    /// The input of a program, which must not be used after the program was released.
    package struct Input: Sendable {
        fileprivate let descriptor: Int32

        /// Writes as many bytes as are accepted now.
        ///
        /// - Returns: Their number: 0 also if the program does not read any more.
        package func write(_ bytes: Span<UInt8>) -> Int {
            let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, flags)
            }
            return max(count, 0)
        }
    }

    /// The input, for another thread that writes while this one waits.
    package var sharedInput: Input { Input(descriptor: input.descriptor) }

    /// Writes as many bytes as are accepted now, from a position on, and advances it.
    ///
    /// - Throws: `FileError`; `isClosed` if the program does not read any more.
    package func write(_ bytes: Span<UInt8>, from position: inout Int) throws(FileError) {
        while position < bytes.count {
            let rest = bytes.extracting(position...)
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(
                    input.descriptor,
                    $0.baseAddress,
                    $0.count,
                    Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
                )
            }
            if count > 0 {
                position += count
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                throw FileError.last("write", input.path)
            }
        }
    }

    /// Reads what a stream has now and appends it.
    ///
    /// - Returns: The number of bytes: 0 at the end of the stream, `nil` if there is nothing yet.
    /// - Throws: `FileError`.
    package func read(
        _ stream: Stream,
        appendingTo bytes: inout [UInt8],
        atMost limit: Int
    ) throws(FileError) -> Int? {
        stream == .output
            ? try output.read(appendingTo: &bytes, atMost: limit)
            : try errors.receive(appendingTo: &bytes, atMost: limit)
    }

    /// Ends the input of the program, which reads the end after what was written.
    package func endInput() { _ = shutdown(input.descriptor, Int32(SHUT_WR)) }

    /// Waits until something can be done, the signal is given, or the time is over.
    ///
    /// - Parameters:
    ///   - writing: Whether there is something to write.
    ///   - interest: What of the output ends the wait.
    ///   - readingErrors: Whether the errors are to be read.
    ///   - signal: Ends the wait from another thread.
    ///   - milliseconds: The longest wait.
    /// - Returns: What can be done.
    package func wait(
        writing: Bool,
        output interest: OutputInterest,
        readingErrors: Bool,
        or signal: WakeSignal,
        milliseconds: Int
    ) -> Readiness {
        // A negative descriptor is ignored, and an end is reported without being asked for (poll(2)).
        var watched = [
            pollfd(
                fd: interest == .none ? -1 : output.descriptor,
                events: interest == .data ? Int16(POLLIN) : 0,
                revents: 0
            ),
            pollfd(
                fd: readingErrors ? errors.descriptor : -1,
                events: Int16(POLLIN),
                revents: 0
            ),
            pollfd(fd: writing ? input.descriptor : -1, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: signal.reading, events: Int16(POLLIN), revents: 0),
        ]
        let count = unsafe poll(&watched, 4, Int32(clamping: max(milliseconds, 0)))
        guard count > 0 else { return Readiness() }
        if watched[3].revents != 0 { signal.clear() }
        return Readiness(
            output: watched[0].revents != 0,
            errors: watched[1].revents != 0,
            input: watched[2].revents != 0
        )
    }

    /// Whether the program has exited; `kill` still has to be called.
    package var hasExited: Bool { child.hasExited }

    /// Kills what is left of the group of the program, and waits for the program, whose id and group
    /// may belong to others afterwards.
    ///
    /// - Returns: How the program exited, by itself or killed; `nil` if the kernel cannot end it.
    package func kill() -> ChildProcess.Ending? {
        child.end()
        // A killed program exits at once; the limit is for one that the kernel cannot end.
        for _ in 0..<4000 {
            if let ending = try? child.ended() { return ending }
            usleep(500)
        }
        return nil
    }
}

extension BidirectionalProcess {
    /// The output of a program, which may be used after the program was released.
    ///
    /// **Isolation**: any thread; one at a time waits.
    package final class Output: Sendable {
        private let file: File
        private let signal: WakeSignal

        fileprivate var descriptor: Int32 { file.descriptor }

        fileprivate init(_ file: consuming File, _ signal: WakeSignal) {
            self.file = file
            self.signal = signal
        }

        /// Reads what there is now and appends it.
        ///
        /// - Returns: The number of bytes: 0 at the end of the output, `nil` if there is nothing yet.
        /// - Throws: `FileError`.
        package func read(
            appendingTo bytes: inout [UInt8],
            atMost limit: Int
        ) throws(FileError) -> Int? {
            try file.receive(appendingTo: &bytes, atMost: limit)
        }

        /// Waits until there is something to read, the output has ended, or another thread ends the wait.
        package func wait() {
            var watched = [
                pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signal.reading, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&watched, 2, -1)
            if count > 0, watched[1].revents != 0 { signal.clear() }
        }

        /// Ends the wait of another thread, or the next one.
        package func endWait() { signal.give() }
    }
}

extension File {
    /// Reads what a socket has now and appends it; returns `nil` if there is nothing yet.
    fileprivate func receive(
        appendingTo bytes: inout [UInt8],
        atMost limit: Int
    ) throws(FileError) -> Int? {
        while true {
            var count = -1
            bytes.append(addingCapacity: limit) { free in
                unsafe free.withUnsafeMutableBufferPointer { space, filled in
                    let start = unsafe space.baseAddress.map { unsafe $0 + filled }
                    let room = min(limit, space.count - filled)
                    count = unsafe recv(descriptor, start, room, Int32(MSG_DONTWAIT))
                    if count > 0 { filled += count }
                }
            }
            if count >= 0 { return count }
            if errno == EAGAIN { return nil }
            if errno != EINTR { throw FileError.last("read", path) }
        }
    }
}

/// A connected pair of sockets.
private struct SocketPair: ~Copyable {
    let ours: File
    let theirs: File

    init(_ name: String) throws(FileError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw FileError.last("make", name)
        }
        let first = try File(opened: ends[0], named: name)
        let second = try File(opened: ends[1], named: name)
        ours = first
        theirs = second
    }
}

/// Ends the wait of a thread from another one.
package final class WakeSignal: Sendable {
    fileprivate let reading: Int32
    private let writing: Int32

    /// Creates a signal that is not given.
    ///
    /// - Throws: `FileError` if no descriptor is left.
    package init() throws(FileError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw FileError.last("make", "signal")
        }
        reading = ends[0]
        writing = ends[1]
    }

    deinit {
        _ = close(reading)
        _ = close(writing)
    }

    /// Gives the signal; any thread.
    package func give() {
        var byte: UInt8 = 1
        _ = unsafe Glibc.send(writing, &byte, 1, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    }

    /// Waits for the signal, at most some milliseconds.
    package func wait(milliseconds: Int) {
        var watched = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        let count = unsafe poll(&watched, 1, Int32(clamping: max(milliseconds, 0)))
        if count > 0 { clear() }
    }

    fileprivate func clear() {
        // Signals that do not fit end the next wait.
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = unsafe recv(reading, &bytes, MemoryLayout.size(ofValue: bytes), Int32(MSG_DONTWAIT))
    }
}
