// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplinePlugin
import TaplineSystem
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite struct LogWriterTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// A reload may bring a file that refers to other variables.
    @Test func valuesOfALaterConfigurationAreHidden() {
        let lines = Lines()
        let console = Console(isTerminal: false, output: { _ in }) { bytes in
            lines.all.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        }
        let environment = Environment(["ONE": "hunter2-one", "TWO": "hunter2-one-two"])
        func values(_ text: String) -> InterpolatedValues {
            InterpolatedValues(of: [Array(text.utf8)], in: environment)
        }
        let writer = LogWriter(
            format: .text,
            isQuiet: false,
            console: console,
            hidden: values("a: ${ONE}")
        )
        let log = writer.log
        log.info("hunter2-one, another")
        writer.hidden.add(values("a: ${TWO}"))
        log.info("hunter2-one-two, then hunter2-one!")
        #expect(
            lines.all.withLock { $0 } == [
                "info: ${ONE}, another\n", "info: ${TWO}, then ${TWO}!\n",
            ]
        )
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
