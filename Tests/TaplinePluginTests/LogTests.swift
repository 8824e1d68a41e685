// SPDX-License-Identifier: MIT

import Synchronization
import TaplinePlugin
import Testing

@Suite("The log of a component")
struct LogTests {
    @Test("has the level of the call and the component's id")
    func entries() {
        let entries = Mutex<[LogEntry]>([])
        let log = Log(component: "a") { entry in entries.withLock { $0.append(entry) } }
        log.debug("one")
        log.info("two")
        log.of("b").warning("three")
        log.error("four")
        let found = entries.withLock { $0 }
        #expect(
            found.map { "\($0.level.name) \($0.component): \($0.message)" } == [
                "debug a: one", "info a: two", "warning b: three", "error a: four",
            ]
        )
        #expect(found.map(\.level) == found.map(\.level).sorted())
    }
}
