// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RedactStage

@Suite struct NameTableTests {
    private func value(_ name: String, in table: NameTable<Int>) -> Int? {
        table.value(of: name.utf8.span)
    }

    @Test func namesAreFoundHoweverTheirWordsAreJoined() {
        var table = NameTable<Int>()
        table.set("api_key", to: 1)
        table.set("X-Auth-Token", to: 2)
        for name in [
            "api_key", "API-Key", "apiKey", "a_p_i_key", "-api-key-", "__apikey", "API KEY",
            "api.key", ".api key ",
        ] {
            #expect(value(name, in: table) == 1, "\(name)")
        }
        #expect(value("xauthtoken", in: table) == 2)
        for name in [
            "", "-", "api_ke", "api_keys", "bapi_key", "api/key", "\u{1}pi_key", "aqi_key",
        ] {
            #expect(value(name, in: table) == nil, "\(name)")
        }
    }

    @Test func theLaterOfTwoValuesCounts() {
        var table = NameTable<Int>()
        table.set("a-b", to: 1)
        table.set("AB", to: 2)
        #expect(value("a_b", in: table) == 2)
    }

    @Test func agreesWithADictionary() {
        var random = Random(seed: 3)
        var table = NameTable<Int>()
        var model: [String: Int] = [:]
        func name() -> String {
            (0..<random.below(5)).map { _ in
                random.pick(["a", "b", "-", "_", ".", " ", "Z", "é", "z"])
            }
            .joined()
        }
        func folded(_ name: String) -> String {
            name.filter { !"-_. ".contains($0) }.lowercased()
        }
        for number in 0..<2000 {
            let added = name()
            table.set(added, to: number)
            model[folded(added)] = number
            let asked = name()
            let expected = asked.isEmpty ? nil : model[folded(asked)]
            guard !folded(asked).isEmpty else { continue }
            #expect(value(asked, in: table) == expected, "\(asked)")
        }
        #expect(model.count > 100)
    }
}
