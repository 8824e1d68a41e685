// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplineNet
import TestSupport
import Testing

@testable import TaplineReach

/// What happens on the loop of a test.
private final class EventLog: Sendable {
    private let events = Mutex<[String]>([])

    var all: [String] { events.withLock { $0 } }
    func add(_ event: String) { events.withLock { $0.append(event) } }
}

private final class TimerBox { var timer: LoopTimer? }

@Suite struct NetworkNamespaceTests {
    @Test func aCommandIsEncodedWithItsCounts() {
        let bytes = NetworkNamespace.encode(["/bin/a", "b"], ["A=1"])
        #expect(bytes == [2, 0, 0, 0, 1, 0, 0, 0] + Array("/bin/a\0b\0A=1\0".utf8))
    }

    @Test func aZeroByteEndsAText() {
        #expect(NetworkNamespace.encode(["a\0b"], []) == [1, 0, 0, 0, 0, 0, 0, 0, 0x61, 0])
    }

    @Test func theHelperGetsThePortsAndDNS() {
        var options = NamespaceOptions()
        options.hasIPv6 = true
        options.usesRedirect = false
        options.listenerCount = 3
        options.ports = [80, 8080]
        #expect(
            options.arguments.dropFirst(2)
                == ["count=3", "ipv6", "port=80", "port=8080", "port=53"]
        )
    }

    @Test func aSignalCountsAsInAShell() {
        #expect(NetworkNamespace.Ending(status: 9, leavesProcesses: false).code == 137)
        #expect(NetworkNamespace.Ending(status: 7 << 8, leavesProcesses: true).code == 7)
    }

    @Test(arguments: [
        (NamespaceLimits(maxUserNamespaces: 0), "user.max_user_namespaces"),
        (NamespaceLimits(allowsUnprivileged: false), "unprivileged_userns_clone"),
        (NamespaceLimits(isRestrictedByAppArmor: true), "apparmor_restrict_unprivileged_userns"),
        (NamespaceLimits(maxUserNamespaces: 100), "seccomp"),
    ])
    func theMessageSaysHowToAllowIt(limits: NamespaceLimits, setting: String) {
        let error = NamespaceError(.unshare, code: 1, limits: limits)
        #expect(error.description.contains(setting))
        #expect(error.description.contains("EPERM"))
    }

    @Test func aReachedLimitIsNamed() {
        let error = NamespaceError(.unshare, code: 28, limits: NamespaceLimits())
        #expect(error.description.contains("user.max_net_namespaces"))
    }

    /// Makes a namespace; `nil` with a note if this system does not allow it.
    private func makeNamespace() -> NetworkNamespace? {
        do throws(NamespaceError) {
            return try NetworkNamespace()
        } catch {
            print("NetworkNamespaceTests: SKIPPED: \(error)")
            return nil
        }
    }

    @Test func aCommandRunsInTheNamespace() throws {
        guard let namespace = makeNamespace() else { return }
        // Only lo is there.
        let script = "test \"$(grep -c : /proc/net/dev)\" = 1 && exit $CODE"
        let command = try namespace.run(["/bin/sh", "-c", script], environment: ["CODE": "9"])
        #expect(command.process > 0)
        let ending = try namespace.wait(for: command)
        #expect(ending == NetworkNamespace.Ending(status: 9 << 8, leavesProcesses: false))
        #expect(throws: NetworkNamespace.ExecutionError.self) {
            let missing = try namespace.run(["/nonexistent"], environment: [:])
            _ = try namespace.wait(for: missing)
        }
        let listeners = namespace.take(.tcp)
        #expect(!listeners.isEmpty)
        #expect(namespace.take(.tcp).isEmpty)
    }

    @Test func aSignalReachesTheCommand() throws {
        guard let namespace = makeNamespace() else { return }
        let command = try namespace.run(["/bin/sleep", "30"], environment: [:])
        command.signal(15)
        #expect(try namespace.wait(for: command)?.code == 143)
        // The process has ended, and its number may belong to another one.
        command.signal(9)
    }

    /// The command has the helper's user, and may do anything to it.
    @Test(arguments: [("-STOP", 3), ("-KILL", nil)] as [(String, Int32?)])
    func theEndOfACommandIsNoticedWithoutTheHelper(signal: String, code: Int32?) throws {
        guard let namespace = makeNamespace() else { return }
        let script = "kill \(signal) $PPID; exit 3"
        let command = try namespace.run(["/bin/sh", "-c", script], environment: [:])
        #expect(try namespace.wait(for: command)?.code == code)
    }

    @Test func socketsAreOpenedInTheNamespaceUntilTheHelperEnds() throws {
        guard let namespace = makeNamespace() else { return }
        let channel = NamespaceChannel(owning: try #require(namespace.take(.requests).first))
        let count = 100
        let group = try EventLoopGroup(threads: 1)
        let ended = DispatchSemaphore(value: 0)
        let log = EventLog()
        group.start(
            { loop, _ in
                let requests = NamespaceRequests(on: loop, channel) { log.add("broken") }
                for _ in 0..<count {
                    requests.open(for: SocketAddress(.loopbackV4, port: 9)) { result in
                        switch result {
                        case .success(let socket):
                            SocketWatch.closeSocket(socket)
                            log.add("socket")
                        case .failure(let error): log.add(error.code.name)
                        }
                        guard log.all.count == count else { return }
                        log.add("kill")
                    }
                }
                let timer = TimerBox()
                timer.timer = LoopTimer(on: loop) {
                    if log.all.contains("killed"), !log.all.contains("asked again") {
                        log.add("asked again")
                        requests.open(for: SocketAddress(.loopbackV4, port: 9)) { result in
                            if case .failure(let error) = result { log.add(error.code.name) }
                        }
                    }
                    timer.timer?.arm(after: Microseconds(5000))
                }
                timer.timer?.arm(after: Microseconds(5000))
                loop.beforeStop {
                    timer.timer = nil
                    requests.stop()
                }
            },
            then: { _ in ended.signal() }
        )
        blockingWait(for: "the sockets") { log.all.contains("kill") }
        // Without nftables, nothing inside can be connected to.
        let expected = namespace.isRedirected ? "socket" : "connect_refused"
        #expect(log.all.prefix(count).allSatisfy { $0 == expected })
        let command = try namespace.run(["/bin/sh", "-c", "kill -9 $PPID"], environment: [:])
        #expect(try namespace.wait(for: command) == nil)
        log.add("killed")
        blockingWait(for: "the failure") { log.all.contains("unreachable") }
        group.stop()
        #expect(ended.wait(timeout: .now() + 30) == .success)
        #expect(log.all.filter { $0 == "broken" }.count == 1)
    }
}
