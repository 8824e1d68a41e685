// SPDX-License-Identifier: MIT

import TaplineNet
import TestSupport
import Testing

@testable import TaplineReach

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

    @Test func aCommandRunsInTheNamespace() throws {
        let namespace: NetworkNamespace
        do throws(NamespaceError) {
            namespace = try NetworkNamespace()
        } catch {
            print("NetworkNamespaceTests: SKIPPED: \(error)")
            return
        }
        // Only lo is there.
        let script = "test \"$(grep -c : /proc/net/dev)\" = 1 && exit $CODE"
        let process = try namespace.run(["/bin/sh", "-c", script], environment: ["CODE": "9"])
        #expect(process > 0)
        #expect(namespace.wait() == NetworkNamespace.Ending(status: 9 << 8, leavesProcesses: false))
        #expect(throws: NetworkNamespace.ExecutionError.self) {
            try namespace.run(["/nonexistent"], environment: [:])
        }
        let listeners = namespace.take(.tcp)
        #expect(!listeners.isEmpty)
        #expect(namespace.take(.tcp).isEmpty)
        let requests = NamespaceRequests(owning: try #require(namespace.take(.requests).first))
        #expect(requests.connect(to: SocketAddress(.loopbackV4, port: 9)) == .refused)
    }
}
