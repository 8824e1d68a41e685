// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineCassettes

/// The recording that answers a request.
@Suite struct CassettePlayerTests {
    private func request(_ url: String) -> Request {
        var request = Request(method: "POST")
        request.setURL(url.utf8.span)
        return request
    }

    @Test func theNearestPathHasTheSameBeginning() {
        let recordings = ["/x", "/a/b/d", "/c/b/a"].map {
            Exchange(id: ExchangeID(high: 0, low: 1), request: request("http://shop.test" + $0))
        }
        let player = CassettePlayer(recordings, of: "test", RecordedOptions())
        let live = request("http://shop.test/a/b/c")
        guard case .none(let text) = player.answer(live, cleaned: live) else {
            return #expect(Bool(false))
        }
        #expect(text.contains("nearest recorded request:\n  POST http://shop.test/a/b/d\n"))
    }
}
