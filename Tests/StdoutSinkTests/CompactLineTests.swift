// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import StdoutSink

@Suite struct CompactLineTests {
    @Test func writesShortLines() throws {
        #expect(
            try shown(exchange(), .compact)
                == "POST 201 https://shop.test/cart?x=1 5B 15.5ms\n"
        )
    }

    @Test func showsFailures() throws {
        let failed = exchange {
            $0.response = nil
            $0.state = .failed
            $0.error = ExchangeError(code: "dns")
        }
        #expect(
            try shown(failed, .compact) == "POST - https://shop.test/cart?x=1 - 15.5ms dns\n"
        )
        let cancelled = exchange { $0.state = .cancelled }
        #expect(
            try shown(cancelled, .compact)
                == "POST 201 https://shop.test/cart?x=1 5B 15.5ms cancelled\n"
        )
    }

    @Test(arguments: [40, 60, 80])
    func fitsTheTerminal(width: Int) throws {
        let long = exchange {
            $0.request.target = ByteString("/" + String(repeating: "a", count: 300))
            $0.error = ExchangeError(code: "reset")
        }
        let line = try shown(long, .compact, width: width, isTerminal: true)
        #expect(line.unicodeScalars.count == width + 1)
        #expect(line.hasSuffix("… 5B 15.5ms reset\n"))
    }
}
