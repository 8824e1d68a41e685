// SPDX-License-Identifier: MIT

import TaplineJSON
import Testing

@Suite struct JSONIterationTests {
    @Test func returnsDuplicateKeysInOrder() throws {
        let tree = try parse(#"{"a":1,"a":2}"#)
        #expect(
            tree
                == .object([
                    .init(key: "a", value: .number("1")), .init(key: "a", value: .number("2")),
                ])
        )
    }
}
