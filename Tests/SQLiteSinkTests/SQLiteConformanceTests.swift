// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import Testing

@testable import SQLiteSink

@Suite struct SQLiteConformanceTests {
    @Test(arguments: [
        "path: traffic.db",
        "{ path: traffic.db, sync: batch, compress: true, inline_body_max: 100B }",
    ])
    func conforms(options: String) async {
        let lock = Lock()
        let violations = await Conformance.violations(
            of: .sqlite,
            options: options + (options.hasPrefix("{") ? "" : "\nbusy_timeout: 20ms"),
            settings: ConformanceSettings(failing: ["path: no/traffic.db", "path: '-'"]),
            outage: options.hasPrefix("{") ? nil : lock.outage,
            stored: { folder in
                try ExchangeReader("\(folder)/traffic.db", inflating: true).all().map(\.id)
            }
        )
        #expect(violations == [])
    }
}

/// Locks the database from another process, then unlocks it.
final class Lock: Sendable {
    private let shell = Mutex<ShellBox?>(nil)

    /// Only one thread at a time uses the shell: it never leaves the mutex.
    private struct ShellBox: @unchecked Sendable {
        let shell: OpenShell
    }

    var outage: Outage {
        Outage(
            begin: { folder in
                let box = ShellBox(shell: try OpenShell("\(folder)/traffic.db"))
                try box.shell.run("BEGIN IMMEDIATE")
                self.shell.withLock { $0 = box }
            },
            end: { _ in
                try self.shell.withLock { box in
                    try box?.shell.run("ROLLBACK")
                    box = nil
                }
            }
        )
    }
}
