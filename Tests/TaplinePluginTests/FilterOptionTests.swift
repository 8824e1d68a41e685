// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineQuery
import TaplineSystem
import Testing

@Suite("An option that is a filter")
struct FilterOptionTests {
    private static let condition = ConfigKey(
        "when",
        .filter,
        summary: "A filter.",
        interpolates: false
    )

    private func decode(
        _ yaml: String,
        environment: [String: String] = [:]
    ) -> (filter: Filter?, diagnostics: Diagnostics) {
        var diagnostics = Diagnostics()
        let root = ConfigReader().read(Array(yaml.utf8), name: "a.yaml", into: &diagnostics)
        let options = root.flatMap {
            OptionSchema(Self.condition).decode(
                $0,
                owner: "test",
                into: &diagnostics,
                environment: Environment(environment)
            )
        }
        return (options?[Self.condition], diagnostics)
    }

    @Test("selects exchanges, and reads the environment")
    func filter() throws {
        let (found, diagnostics) = decode(
            "when: status == 404 and host == env[\"SHOP\"]",
            environment: ["SHOP": "shop.test"]
        )
        #expect(diagnostics.isEmpty)
        let filter = try #require(found)
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1), response: Response(status: 404))
        exchange.request.authority = "shop.test"
        #expect(filter.matches(exchange))
        exchange.request.authority = "other.test"
        #expect(!filter.matches(exchange))
    }

    @Test("is refused at the place of its mistake")
    func mistake() throws {
        let (filter, diagnostics) = decode("when: status == == 404")
        #expect(filter == nil)
        let location = try #require(diagnostics.all.first?.location)
        #expect(location.line == 1 && location.column == 17)
    }

    @Test("is refused if it is not a text", arguments: ["[status]", "{ status: 404 }"])
    func notAText(value: String) {
        let (filter, diagnostics) = decode("when: \(value)")
        #expect(filter == nil)
        #expect(diagnostics.all.first?.message.contains("a filter such as") == true)
    }
}
