// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import StdoutSink

@Suite struct RendererTests {
    @Test func usesColoursOnlyOnATerminal() throws {
        #expect(try !shown(exchange(), colors: .auto).contains("\u{1B}"))
        #expect(try shown(exchange(), colors: .auto, isTerminal: true).contains("\u{1B}[32m"))
        #expect(try !shown(exchange(), colors: .never, isTerminal: true).contains("\u{1B}"))
        #expect(try shown(exchange(), colors: .always).contains("\u{1B}[32m"))
        #expect(try !shown(exchange(), .ndjson, colors: .always).contains("\u{1B}"))
    }

    @Test func passesJSONOnUnchanged() throws {
        let odd = exchange { $0.tags["note"] = "a\u{85}b\u{202E}c\u{7F}" }
        let piped = try shown(odd, .ndjson)
        #expect(piped.contains(#""note":"a\#u{85}b\#u{202E}c\#u{7F}""#))
        #expect(piped.hasSuffix("}\n"))
        #expect(piped.hasPrefix(#"{"v":1,"id":"01934b5c-0000-7000-8000-000000000001""#))
    }

    @Test func usesJSONEscapesOnATerminal() throws {
        let odd = exchange { $0.tags["note"] = "a\u{85}b\u{202E}c\u{7F}d\u{E0041}" }
        let line = try shown(odd, .ndjson, isTerminal: true)
        #expect(line.contains(#""note":"a\u0085b\u202ec\u007fd\udb40\udc41""#))
        #expect(line.hasSuffix("}\n"))
    }
}
