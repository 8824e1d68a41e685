// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@testable import StdoutSink

@Suite struct PrettyLineTests {
    @Test func alignsColumnsInAPipe() throws {
        let padding = String(repeating: " ", count: 30)
        #expect(
            try shown(exchange())
                == "14:03:00.123 POST    201 shop.test/cart?x=1\(padding)"
                + "      ↑10 B       ↓5 B  15.5 ms\n"
        )
        let long = exchange {
            $0.request.target = ByteString("/" + String(repeating: "a", count: 60))
        }
        #expect(try shown(long).hasSuffix("aaa      ↑10 B       ↓5 B  15.5 ms\n"))
    }

    @Test func alignsToTheRightOfATerminal() throws {
        let line = try shown(exchange(), width: 100, isTerminal: true)
        #expect(
            line == "14:03:00.123 POST    201 shop.test/cart?x=1"
                + String(repeating: " ", count: 26) + "      ↑10 B       ↓5 B  15.5 ms\n"
        )
        #expect(line.count == 101)
    }

    @Test(arguments: Array(20...130))
    func neverExceedsTheWidth(width: Int) throws {
        let odd = exchange {
            $0.request.method = "VERSION-CONTROL"
            $0.request.target = ByteString("/" + String(repeating: "漢", count: 90))
            $0.request.body.size = 1023 << 10
            $0.response = nil
            $0.state = .failed
            $0.timing.total = Microseconds(59_990_000)
            $0.error = ExchangeError(code: "a-code-that-is-longer-than-most-lines-are-wide")
        }
        let columns = try shown(odd, width: width, isTerminal: true).unicodeScalars.dropLast()
            .reduce(0) { $0 + $1.columns }
        #expect(columns <= width)
    }

    @Test(arguments: [20, 40, 44, 45, 59, 60, 71, 72, 80, 99, 100, 101, 160, 400])
    func fitsTheTerminal(width: Int) throws {
        let long = exchange {
            $0.request.target = ByteString("/" + String(repeating: "segment/", count: 60))
        }
        let line = try shown(long, width: width, isTerminal: true)
        #expect(line.unicodeScalars.count == width + 1)
        #expect(line.contains("…"))
        let short = try shown(exchange(), width: width, isTerminal: true)
        #expect(short.unicodeScalars.count <= width + 1)
    }

    @Test func cutsTheTargetBeforeTheFailure() throws {
        let failed = exchange {
            $0.request.target = ByteString("/" + String(repeating: "a", count: 200))
            $0.response = nil
            $0.state = .failed
            $0.error = ExchangeError(code: "reset", message: "not shown here")
        }
        let line = try shown(failed, width: 80, isTerminal: true)
        #expect(line.unicodeScalars.count == 81)
        #expect(line.contains("ERR shop.test/aaa"))
        #expect(line.contains("…  reset"))
        #expect(!line.contains("not shown"))
    }

    @Test func countsWideCharactersTwice() throws {
        let wide = exchange {
            $0.request.target = ByteString("/" + String(repeating: "漢", count: 100))
        }
        let line = try shown(wide, width: 80, isTerminal: true)
        let columns = line.unicodeScalars.dropLast().reduce(0) { $0 + $1.columns }
        #expect(columns <= 80 && columns >= 79)
        #expect(line.contains("漢…"))
    }

    @Test(arguments: [
        (100, "100"), (200, "\u{1B}[32m200"), (302, "\u{1B}[36m302"), (404, "\u{1B}[33m404"),
        (503, "\u{1B}[31m503"), (999, "999"),
    ])
    func coloursTheStatusByItsClass(status: Int, text: String) throws {
        let line = try shown(exchange { $0.response?.status = status }, colors: .always)
        #expect(line.contains(text))
        #expect(line.hasPrefix("\u{1B}[2m14:03:00.123\u{1B}[0m \u{1B}[1mPOST\u{1B}[0m"))
    }

    @Test func leavesOutUnknownValues() throws {
        let bare = exchange {
            $0.response = nil
            $0.timing.total = nil
            $0.request.body = Body()
            $0.state = .cancelled
        }
        let padding = String(repeating: " ", count: 19 + 11 + 11 + 9)
        #expect(
            try shown(bare)
                == "14:03:00.123 POST    --- shop.test/cart?x=1  cancelled\(padding)\n"
        )
    }

    @Test func leavesOutUserInfo() throws {
        let line = try shown(exchange { $0.request.authority = "joe:secret@shop.test:8443" })
        #expect(line.contains(" shop.test:8443/cart"))
        #expect(!line.contains("secret"))
    }

    @Test func showsAConnectTargetOnce() throws {
        let line = try shown(
            exchange {
                $0.request.method = "CONNECT"
                $0.request.target = "shop.test:443"
                $0.request.authority = "shop.test:443"
            }
        )
        #expect(line.contains("CONNECT 201 shop.test:443   "))
    }
}
