// SPDX-License-Identifier: MIT

import RulesStage
import TaplineConfig
import TaplineModel
import TaplineSystem

/// Files of rules: any text gives rules or an error, and rules have the same effect each time.
func fuzzRules(_ input: inout FuzzInput) {
    var diagnostics = Diagnostics()
    let source = ConfigSource(name: "fuzz.yaml", bytes: input.whole, folder: "/nonexistent")
    let environment = Environment(["NAME": "value", "EMPTY": ""])
    let set = RuleSet.parse(
        source,
        environment: environment,
        protected: ProtectedFiles([]),
        into: &diagnostics
    )
    require((set != nil) != diagnostics.hasErrors, "rules with an error, or neither")
    _ = diagnostics.rendered
    let report = RuleFileReport(source, environment: environment, protected: ProtectedFiles([]))
    require((report.set != nil) == (set != nil), "the report has other errors")
    require(report.rules.count >= set?.names.count ?? 0, "the report lacks rules")
    guard let set else { return }
    for exchange in exchanges {
        let first = set.evaluate(exchange, seed: 1)
        let second = set.evaluate(exchange, seed: 1)
        require(first.hits == second.hits, "the second evaluation has other hits")
        require(first.exchange == second.exchange, "the second evaluation has another effect")
        require(first.delay == second.delay, "the second evaluation has another delay")
    }
}

/// An exchange with many parts, and one with unusual bytes that has no response.
private let exchanges: [Exchange] = {
    let id = ExchangeID(high: 0x0193_1234_5678_7abc, low: 0x8def_0123_4567_89ab)
    var full = Exchange(id: id)
    full.request = Request(
        method: "POST",
        target: "/cart/7?x=1&x=%32&debug",
        scheme: "https",
        authority: "shop.test:8443",
        fields: ["Host": "shop.test", "Cookie": "a=1; b", "X-A": "1"],
        body: Body(Array(#"{"a":"\u00e9","items":[{"price":1.5},{"price":"\"x"}]}"#.utf8))
    )
    full.response = Response(
        status: 200,
        fields: ["Content-Type": "application/json"],
        body: Body(Array(#"{"a":[1,{"b":null}],"c":"d"}"#.utf8))
    )
    var unusual = Exchange(id: id)
    unusual.request.target = ByteString([0x2F, 0xFF, 0x3F, 0x25, 0x3D, 0xC3])
    unusual.request.authority = "@:"
    unusual.request.body.coding = "gzip"
    unusual.request.body.bytes = [0x1F, 0x8B]
    return [full, unusual]
}()
