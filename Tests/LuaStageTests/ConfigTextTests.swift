// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

@testable import LuaStage

@Suite struct ConfigTextTests {
    @Test(arguments: [
        ("{ a: 1, b: [x, -2.5, true, ~], c: {} }", #"{"a":1,"b":["x",-2.5,true,null],"c":{}}"#),
        ("'1'", #""1""#), ("1e3", "1000.0"), ("0x10", #""0x10""#), (".inf", #"".inf""#),
        ("yes", #""yes""#), ("False", "false"), ("1.2.3", #""1.2.3""#), ("+5", "5"),
        (#""a\"b\\c\n\u0001""#, #""a\"b\\c\u000a\u0001""#), ("ä", #""ä""#),
    ])
    func valuesAreConvertedToJSON(yaml: String, json: String) throws {
        var diagnostics = Diagnostics()
        let reader = ConfigReader()
        let found = reader.read(ConfigSource(name: "t.yaml", text: yaml), into: &diagnostics)
        let node = try #require(found)
        var output: [UInt8] = []
        node.appendJSON(to: &output)
        #expect(String(decoding: output, as: UTF8.self) == json)
    }
}
