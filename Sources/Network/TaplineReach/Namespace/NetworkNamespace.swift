// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif
internal import CReach
internal import Synchronization

/// A network namespace in which every address is local, and the helper process inside it.
///
/// ```
/// Tapline (outside) ◀── sockets ── helper (inside) ── runs ──▶ command (inside)
/// ```
/// The helper ends with this object. Programs that still run then have no network.
///
/// **Isolation**: any thread; the methods block.
package final class NetworkNamespace: Sendable {
    /// The uses of a socket of the namespace.
    package enum SocketUse: Sendable, Hashable {
        /// Listens for TCP.
        case tcp
        /// Receives DNS queries.
        case dns
        /// Receives copies of datagrams to port 443, with the header of IPv4.
        case quicV4
        /// Receives copies of datagrams to port 443 over IPv6.
        case quicV6
        /// The channel for requests.
        case requests
    }

    /// How a command has ended.
    package struct Ending: Sendable, Equatable {
        /// The exit code; as in a shell, 128 plus the signal number if a signal ended the command.
        package let code: Int32
        /// Whether processes that it has started still run.
        package let leavesProcesses: Bool

        init(status: Int32, leavesProcesses: Bool) {
            let signal = status & 0x7f
            code = signal == 0 ? (status >> 8) & 0xff : 128 + signal
            self.leavesProcesses = leavesProcesses
        }
    }

    /// Why a command cannot be executed.
    package struct ExecutionError: Error, Sendable, Equatable {
        /// The error number of the system.
        package let code: Int32
    }

    /// Whether all ports are captured; otherwise only those of the options.
    package let isRedirected: Bool
    /// Whether it has IPv6.
    package let hasIPv6: Bool

    /// The process of the helper.
    let helper: Int32
    private let control: Int32
    private let sockets: Mutex<[SocketUse: [Int32]]>

    /// Makes a namespace.
    ///
    /// - Parameter options: What it gets.
    /// - Throws: `NamespaceError` if the system does not allow it.
    package init(_ options: NamespaceOptions = NamespaceOptions()) throws(NamespaceError) {
        let (control, helperControl) = try Self.channel()
        let (requests, helperRequests) = try Self.channel()
        let ends = ["control=\(helperControl)", "requests=\(helperRequests)"]
        let process = Self.spawn(helperControl, helperRequests, options.arguments + ends)
        tapline_reach_close(helperControl)
        tapline_reach_close(helperRequests)
        var found: [SocketUse: [Int32]] = [.requests: [requests]]
        do throws(NamespaceError) {
            guard process > 0 else { throw NamespaceError(nil, code: -process) }
            let ready = try Self.receiveSockets(from: control, &found)
            isRedirected = ready.value != 0
            hasIPv6 = ready.detail != 0
        } catch {
            for descriptor in found.values.joined() { tapline_reach_close(descriptor) }
            tapline_reach_close(control)
            if process > 0 { tapline_reach_end(process) }
            throw error
        }
        helper = process
        self.control = control
        sockets = Mutex(found)
    }

    deinit {
        tapline_reach_close(control)
        sockets.withLock { sockets in
            for descriptor in sockets.values.joined() { tapline_reach_close(descriptor) }
        }
        // It has nothing to finish, and may be stopped.
        tapline_reach_end(helper)
    }

    /// Returns the sockets of one use, which the caller then owns.
    package func take(_ use: SocketUse) -> [Int32] {
        sockets.withLock { $0.removeValue(forKey: use) ?? [] }
    }

    /// Runs a command in the namespace.
    ///
    /// - Parameters:
    ///   - words: The path of the program, and its arguments.
    ///   - environment: All variables that it gets.
    /// - Returns: The command.
    /// - Throws: `ExecutionError` if there can be no process for it.
    package func run(
        _ words: [String],
        environment: [String: String]
    ) throws(ExecutionError) -> NamespaceCommand {
        let variables = environment.map { "\($0.key)=\($0.value)" }
        let bytes = Self.encode(words, variables)
        let file = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe tapline_reach_command(buffer.baseAddress, buffer.count)
        }
        guard file >= 0 else { throw ExecutionError(code: -file) }
        defer { tapline_reach_close(file) }
        var message = tapline_reach_message()
        message.kind = UInt32(TAPLINE_REACH_RUN.rawValue)
        guard unsafe tapline_reach_send(control, &message, file) == 0 else {
            throw ExecutionError(code: 0)
        }
        message = tapline_reach_message()
        var handle: Int32 = -1
        guard unsafe tapline_reach_receive(control, &message, &handle) > 0 else {
            throw ExecutionError(code: 0)
        }
        guard message.kind == UInt32(TAPLINE_REACH_RUNS.rawValue) else {
            if handle >= 0 { tapline_reach_close(handle) }
            throw ExecutionError(code: message.detail)
        }
        return NamespaceCommand(message.value, handle)
    }

    /// Waits until a command has ended.
    ///
    /// The command may stop or kill the helper, which has the same user. Then it is waited for all
    /// the same, but only the helper, its parent, can know its exit code.
    ///
    /// - Returns: How it has ended; `nil` if the helper has ended as well, or does not report it within
    ///   30 seconds.
    /// - Throws: `ExecutionError` if the system cannot execute it.
    package func wait(for command: NamespaceCommand) throws(ExecutionError) -> Ending? {
        while true {
            let ready = tapline_reach_await(control, command.handle, -1)
            if ready & Self.isMessage != 0 {
                guard let message = Self.receive(from: control) else {
                    command.waitForEnd()
                    return nil
                }
                if let ending = try Ending(message) { return ending }
            } else {
                return ready == 0 ? nil : try finalReport()
            }
        }
    }

    /// How long the helper may take to report the end of a command; long, since a busy machine may
    /// not let it run.
    private static let reportMilliseconds: Int32 = 30_000
    private static let isMessage = Int32(TAPLINE_REACH_MESSAGE.rawValue)

    /// Receives the report on a command that has ended, even if the helper was stopped.
    private func finalReport() throws(ExecutionError) -> Ending? {
        _ = kill(helper, SIGCONT)
        guard tapline_reach_await(control, -1, Self.reportMilliseconds) != 0 else { return nil }
        guard let message = Self.receive(from: control) else { return nil }
        return try Ending(message)
    }

    // MARK: The helper

    private static func channel() throws(NamespaceError) -> (Int32, Int32) {
        var ends: (Int32, Int32) = (-1, -1)
        let status = unsafe withUnsafeMutablePointer(to: &ends) { pointer in
            unsafe pointer.withMemoryRebound(to: Int32.self, capacity: 2) {
                unsafe tapline_reach_channel($0)
            }
        }
        guard status == 0 else { throw NamespaceError(nil, code: -status) }
        return ends
    }

    private static func spawn(_ control: Int32, _ requests: Int32, _ words: [String]) -> Int32 {
        var pointers = unsafe words.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        return unsafe tapline_reach_spawn(control, requests, pointers)
    }

    /// Receives sockets until the helper is ready.
    private static func receiveSockets(
        from control: Int32,
        _ sockets: inout [SocketUse: [Int32]]
    ) throws(NamespaceError) -> tapline_reach_message {
        while true {
            var message = tapline_reach_message()
            var descriptor: Int32 = -1
            let status = unsafe tapline_reach_receive(control, &message, &descriptor)
            guard status > 0 else { throw NamespaceError(nil, code: -status) }
            if let use = SocketUse(message) {
                // The socket was lost, since no descriptor is left for it.
                guard descriptor >= 0 else { throw NamespaceError(nil, code: EMFILE) }
                sockets[use, default: []].append(descriptor)
            } else if descriptor >= 0 {
                tapline_reach_close(descriptor)
            }
            switch message.kind {
            case UInt32(TAPLINE_REACH_READY.rawValue): return message
            case UInt32(TAPLINE_REACH_FAILED.rawValue):
                throw NamespaceError(
                    NamespaceError.Step(rawValue: message.value),
                    code: message.detail
                )
            default: continue
            }
        }
    }

    private static func receive(from control: Int32) -> tapline_reach_message? {
        var message = tapline_reach_message()
        var descriptor: Int32 = -1
        let status = unsafe tapline_reach_receive(control, &message, &descriptor)
        if descriptor >= 0 { tapline_reach_close(descriptor) }
        return status > 0 ? message : nil
    }

    /// Encodes a command as `tapline_reach_command` describes it.
    ///
    /// A zero byte, which no argument can have, ends a text early.
    static func encode(_ words: [String], _ variables: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for count in [words.count, variables.count] {
            let number = UInt32(clamping: count)
            unsafe withUnsafeBytes(of: number) { unsafe bytes.append(contentsOf: $0) }
        }
        for text in words + variables {
            bytes.append(contentsOf: text.utf8.prefix { $0 != 0 })
            bytes.append(0)
        }
        return bytes
    }
}

extension NetworkNamespace.Ending {
    /// The end that a message reports; `nil` for another message.
    fileprivate init?(_ message: tapline_reach_message) throws(NetworkNamespace.ExecutionError) {
        switch message.kind {
        case UInt32(TAPLINE_REACH_ENDED.rawValue):
            self.init(status: message.value, leavesProcesses: message.detail != 0)
        case UInt32(TAPLINE_REACH_REFUSED.rawValue):
            throw NetworkNamespace.ExecutionError(code: message.detail)
        default: return nil
        }
    }
}

extension NetworkNamespace.SocketUse {
    /// The use of a socket that the helper sends; `nil` for an unknown one.
    fileprivate init?(_ message: tapline_reach_message) {
        guard message.kind == UInt32(TAPLINE_REACH_SOCKET.rawValue) else { return nil }
        switch UInt32(bitPattern: message.value) {
        case TAPLINE_REACH_TCP.rawValue: self = .tcp
        case TAPLINE_REACH_DNS.rawValue: self = .dns
        case TAPLINE_REACH_QUIC4.rawValue: self = .quicV4
        case TAPLINE_REACH_QUIC6.rawValue: self = .quicV6
        default: return nil
        }
    }
}
