// SPDX-License-Identifier: MIT

import Synchronization
import TaplinePlugin
import Testing

@testable import TaplineCommand

@Suite struct LogWriterTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    @Test func controlCharactersAreEscaped() {
        let lines = Lines()
        let console = Console(isTerminal: true, output: { _ in }) { bytes in
            lines.all.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        }
        let log = LogWriter(format: .text, isQuiet: false, console: console).log.of("lua")
        log.info("é \u{1B}[31mred\u{7}\u{9B}1m\r\nnext")
        #expect(
            lines.all.withLock { $0 } == [#"info: [lua] é \x1b[31mred\x07\x9b1m\x0d\nnext"# + "\n"]
        )
    }
}
