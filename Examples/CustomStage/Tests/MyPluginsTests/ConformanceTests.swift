// SPDX-License-Identifier: MIT

import MyPlugins
import TaplineModel
import TaplinePlugin
import TaplineTesting
import Testing

@Test func pickConforms() async {
    #expect(await Conformance.violations(of: .pick, options: "one_of: 3") == [])
}

@Test func countsConforms() async {
    let settings = ConformanceSettings(failing: ["path: no/such/folder.txt"])
    let violations = await Conformance.violations(
        of: .counts,
        options: "path: counts.txt",
        settings: settings
    )
    #expect(violations == [])
}

@Test func requestListConforms() async {
    let lines = (0..<250).map { "GET http://shop.test/items/\($0)?token=hidden 200" }
    let settings = ConformanceSettings(
        files: [
            "requests.txt": lines.joined(separator: "\n"),
            "broken.txt": "GET http://shop.test/hidden two hundred\n",
        ],
        failing: ["path: broken.txt", "path: missing.txt"],
        secrets: ["hidden"]
    )
    let violations = await Conformance.violations(
        of: .requestList,
        options: "path: requests.txt",
        settings: settings,
        count: 250
    )
    #expect(violations == [])
}

@Test func pickKeepsAboutOneInN() async throws {
    let all = Exchange.examples(3000)
    let kept = try await PluginHarness.records(of: all, through: .pick, options: "one_of: 10")
    #expect((200..<400).contains(kept.count))
    let again = try await PluginHarness.records(of: all, through: .pick, options: "one_of: 10")
    #expect(kept == again)
    let whole = try await PluginHarness.records(of: all, through: .pick, options: "one_of: 1")
    #expect(whole.count == 3000)
}

@Test func requestListReadsMethodURLAndStatus() async throws {
    let text = "POST https://shop.test:8443/cart?x=1 201\n\nGET http://shop.test/ 404"
    let exchanges = try await PluginHarness.records(
        from: .requestList,
        options: "path: requests.txt",
        settings: ConformanceSettings(files: ["requests.txt": text])
    )
    #expect(
        exchanges.map(\.request.url) == [
            "https://shop.test:8443/cart?x=1", "http://shop.test/",
        ]
    )
    #expect(exchanges.map(\.response?.status) == [201, 404])
    #expect(exchanges.first?.request.method == "POST")
}
