// SPDX-License-Identifier: MIT

import CReach
import Dispatch
import Glibc
import Synchronization
import TaplineModel
import TaplineNet
import TestSupport
import Testing

@testable import TaplineReach

private final class TimerBox { var timer: LoopTimer? }

/// Asks the helper of a namespace for sockets, on a loop of its own.
private final class Asker: Sendable {
    private let group: EventLoopGroup
    private let channel: NamespaceChannel
    private let waiting = Mutex(0)
    private let results = Mutex<[String]>([])
    private let ended = DispatchSemaphore(value: 0)

    init(_ channel: NamespaceChannel) throws {
        group = try EventLoopGroup(threads: 1)
        self.channel = channel
        group.start({ [self] loop, _ in serve(loop) }, then: { [self] _ in ended.signal() })
    }

    /// Returns what a request for a socket results in.
    func ask() -> String {
        let count = results.withLock { $0.count }
        waiting.withLock { $0 += 1 }
        blockingWait(for: "the result") { results.withLock { $0.count } > count }
        return results.withLock { $0.last } ?? ""
    }

    func stop() {
        group.stop()
        ended.wait()
    }

    private func serve(_ loop: EventLoop) {
        let requests = NamespaceRequests(on: loop, channel) { [self] in note("broken") }
        let box = TimerBox()
        box.timer = LoopTimer(on: loop) { [self] in
            for _ in 0..<waiting.withLock({ exchange(&$0, with: 0) }) {
                requests.open(for: SocketAddress(.loopbackV4, port: 9)) { [self] in note($0) }
            }
            box.timer?.arm(after: Microseconds(1000))
        }
        box.timer?.arm(after: Microseconds(1000))
        loop.beforeStop {
            box.timer = nil
            requests.stop()
        }
    }

    private func note(_ result: Result<Int32, NetError>) {
        switch result {
        case .success(let socket):
            SocketWatch.closeSocket(socket)
            note("socket")
        case .failure(let error): note(error.code.name)
        }
    }

    private func note(_ text: String) { results.withLock { $0.append(text) } }
}

/// Returns what happens while this process has a number of descriptors left.
private func withDescriptors<Value>(left count: Int, _ body: () -> Value) -> Value {
    var former = rlimit()
    _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &former)
    var limit = former
    // So that few have to be used up.
    limit.rlim_cur = 128
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var used: [Int32] = []
    while true {
        let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { break }
        used.append(descriptor)
    }
    for descriptor in used.suffix(count) { close(descriptor) }
    used.removeLast(min(count, used.count))
    defer {
        for descriptor in used { close(descriptor) }
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &former)
    }
    return body()
}

@Suite struct DescriptorShortageTests {
    /// Makes a namespace that redirects; `nil` with a note if this system does not allow it.
    private static func makeNamespace() -> NetworkNamespace? {
        let namespace = try? NetworkNamespace()
        guard let namespace, namespace.isRedirected else {
            print("DescriptorShortageTests: SKIPPED: there is no namespace with nftables")
            return nil
        }
        return namespace
    }

    /// In a process of its own, since other tests need descriptors.
    @Test func aShortageHereFailsOnlyTheRequestsOfItsTime() async {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            guard let namespace = Self.makeNamespace() else { exit(0) }
            let requests = try #require(namespace.take(.requests).first)
            let asker = try Asker(NamespaceChannel(owning: requests))
            // First there is no channel yet; then the socket is lost on its way.
            let found = [
                withDescriptors(left: 0) { asker.ask() }, asker.ask(),
                withDescriptors(left: 0) { asker.ask() }, asker.ask(),
            ]
            asker.stop()
            let command = withDescriptors(left: 1) {
                try? namespace.run(["/bin/sh", "-c", "exit 7"], environment: [:])
            }
            let code = try command.flatMap { try namespace.wait(for: $0)?.code }
            let text = "found: \(found), code \(code ?? -1)\n"
            _ = unsafe write(2, text, text.utf8.count)
            exit(0)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let expected = ["exhausted", "socket", "exhausted", "socket"]
        #expect(text.isEmpty || text.contains("found: \(expected), code 7\n"), "\(text)")
    }

    @Test func aNamespaceWhoseSocketsAreLostIsNotMade() async {
        await #expect(processExitsWith: .success) {
            guard Self.makeNamespace() != nil else { exit(0) }
            let text = withDescriptors(left: 4) {
                do throws(NamespaceError) {
                    _ = try NetworkNamespace()
                    return ""
                } catch {
                    return error.description
                }
            }
            exit(text.contains("no file descriptor is left (EMFILE)") ? 0 : 1)
        }
    }

    /// Returns what happens while a process may open no descriptor.
    private func withoutDescriptors<Value>(
        of process: Int32,
        _ body: () throws -> Value
    ) throws -> Value {
        var unused: UInt = 0
        while unsafe access("/proc/\(process)/fd/\(unused)", F_OK) == 0 { unused += 1 }
        // It waits for so many.
        try #require(unused >= 4)
        let change = "prlimit --pid \(process) --nofile"
        let former = try runShell("\(change) --output SOFT --noheadings")
        let soft = former.output.split(whereSeparator: \.isWhitespace).first ?? ""
        try #require(try runShell("\(change)=\(unused):").status == 0)
        defer { _ = try? runShell("\(change)=\(soft):") }
        return try body()
    }

    @Test func aShortageOfTheHelperFailsOnlyTheRequestsOfItsTime() throws {
        guard let namespace = Self.makeNamespace() else { return }
        let requests = try #require(namespace.take(.requests).first)
        let channel = NamespaceChannel(owning: requests)
        let (first, second) = (try Asker(channel), try Asker(channel))
        #expect(first.ask() == "socket")
        let found = try withoutDescriptors(of: namespace.helper) {
            // The helper has no socket for the first one, and loses the channel of the second one.
            [first.ask(), second.ask(), second.ask()]
        }
        #expect(found == ["exhausted", "exhausted", "exhausted"])
        #expect([first.ask(), second.ask(), first.ask()] == ["socket", "socket", "socket"])
        first.stop()
        second.stop()
    }

    @Test func aCommandThatTheHelperDoesNotReceiveIsRefused() throws {
        guard let namespace = Self.makeNamespace() else { return }
        // From then on, the helper has opened what it needs.
        let first = try namespace.run(["/bin/true"], environment: [:])
        #expect(try namespace.wait(for: first)?.code == 0)
        try withoutDescriptors(of: namespace.helper) {
            let error = #expect(throws: NetworkNamespace.ExecutionError.self) {
                try namespace.run(["/bin/true"], environment: [:])
            }
            #expect(error?.code == EMFILE)
        }
        let command = try namespace.run(["/bin/true"], environment: [:])
        #expect(try namespace.wait(for: command)?.code == 0)
    }

    // MARK: Packets

    /// Makes a channel.
    private func makeChannel() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe tapline_reach_channel(&ends) == 0)
        return (ends[0], ends[1])
    }

    /// Sends a message with any number of descriptors.
    private func send(_ descriptors: [Int32], over channel: Int32) throws {
        var message = tapline_reach_message()
        message.kind = UInt32(TAPLINE_REACH_OPENED.rawValue)
        // The header of cmsg(3): length, level and type.
        let size = 16 + 4 * descriptors.count
        var control: [UInt32] = [UInt32(size), 0, UInt32(SOL_SOCKET), 1]
        control += descriptors.map { UInt32(bitPattern: $0) }
        if control.count % 2 == 1 { control.append(0) }
        let sent = unsafe withUnsafeMutableBytes(of: &message) { bytes in
            unsafe control.withUnsafeMutableBytes { control in
                var part = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return unsafe withUnsafeMutablePointer(to: &part) { part in
                    var packet = unsafe msghdr()
                    unsafe packet.msg_iov = part
                    unsafe packet.msg_iovlen = 1
                    unsafe packet.msg_control = control.baseAddress
                    unsafe packet.msg_controllen = size
                    return unsafe sendmsg(channel, &packet, 0)
                }
            }
        }
        try #require(sent == MemoryLayout<tapline_reach_message>.size)
    }

    /// Receives a message; returns the status and the descriptor.
    private func receive(from channel: Int32) -> [Int32] {
        var message = tapline_reach_message()
        var descriptor: Int32 = -1
        let status = unsafe tapline_reach_receive(channel, &message, &descriptor)
        return [status, descriptor]
    }

    /// With more than two descriptors, the kernel delivers only some of them.
    @Test(arguments: [1, 2, 3, 7])
    func descriptorsInExcessAreClosed(count: Int) throws {
        let (near, far) = try makeChannel()
        defer { [near, far].forEach { close($0) } }
        let pairs = try (0..<count).map { _ in try makeChannel() }
        defer { pairs.forEach { close($0.0) } }
        try send(pairs.map(\.1), over: near)
        for pair in pairs { close(pair.1) }
        let received = receive(from: far)
        let descriptor = received[1]
        #expect(received[0] == 1)
        #expect((descriptor >= 0) == (count <= 2))
        for (position, pair) in pairs.enumerated() where position > 0 || count > 2 {
            blockingWait(for: "the end of \(position)") { tapline_reach_has_ended(pair.0) != 0 }
        }
        if descriptor >= 0 {
            #expect(tapline_reach_has_ended(pairs[0].0) == 0)
            close(descriptor)
            blockingWait(for: "the end") { tapline_reach_has_ended(pairs[0].0) != 0 }
        }
        // The channel goes on.
        try send([near], over: near)
        let next = receive(from: far)
        #expect(next[0] == 1 && next[1] >= 0)
        close(next[1])
    }

    @Test func aMessageOfAnotherSizeIsRefusedWithItsDescriptor() throws {
        let (near, far) = try makeChannel()
        try #require(unsafe write(near, [1, 2, 3], 3) == 3)
        #expect(receive(from: far) == [-EPROTO, -1])
        #expect(tapline_reach_has_ended(far) == 0)
        close(near)
        #expect(receive(from: far) == [0, -1])
        #expect(tapline_reach_has_ended(far) != 0)
        close(far)
    }
}
