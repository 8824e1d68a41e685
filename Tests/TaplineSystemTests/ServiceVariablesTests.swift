// SPDX-License-Identifier: MIT

import TaplineSystem
import Testing

@Suite("Variables of a service manager")
struct ServiceVariablesTests {
    private func variables(_ values: [String: String]) -> ServiceVariables {
        ServiceVariables(Environment(values), process: 7)
    }

    @Test("are read for this process")
    func own() {
        let found = variables([
            "NOTIFY_SOCKET": "@name", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7",
            "LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "a:b",
        ])
        #expect(found.notifySocket == "@name")
        #expect(found.watchdogInterval == 30_000_000)
        #expect(found.socketCount == 2)
        #expect(found.socketNames == ["a", "b"])
        #expect(found.problems.isEmpty)
    }

    @Test("of another process are ignored")
    func others() {
        let found = variables([
            "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8", "LISTEN_PID": "8", "LISTEN_FDS": "2",
        ])
        #expect(found.watchdogInterval == nil)
        #expect(found.socketCount == 0)
    }

    @Test(
        "that cannot be used are reported",
        arguments: [
            ["NOTIFY_SOCKET": "vsock:2:1"], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "soon"],
            ["LISTEN_PID": "7", "LISTEN_FDS": "-1"],
            ["LISTEN_PID": "7", "LISTEN_FDS": "99999999999"],
        ]
    )
    func wrong(_ values: [String: String]) {
        let found = variables(values)
        #expect(found.problems.count == 1)
        #expect(found.socketCount == 0)
    }

    @Test("are kept from other programs")
    func children() {
        let names = ServiceVariables.names + ["PATH"]
        let environment = Environment(Dictionary(uniqueKeysWithValues: names.map { ($0, "1") }))
        #expect(environment.withoutServiceVariables.variables == ["PATH": "1"])
    }
}
