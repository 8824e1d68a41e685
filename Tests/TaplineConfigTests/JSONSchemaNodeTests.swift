// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// Printing JSON.
@Suite
struct JSONSchemaNodeTests {
    @Test func printing() {
        let node: JSONSchemaNode = [
            "z": 1, "a": [true, .null, .number(0.5), "x"], "empty": [], "none": [:],
        ]
        #expect(node.text == #"{"z":1,"a":[true,null,0.5,"x"],"empty":[],"none":{}}"#)
        #expect(
            node.prettyText == """
                {
                  "z": 1,
                  "a": [
                    true,
                    null,
                    0.5,
                    "x"
                  ],
                  "empty": [],
                  "none": {}
                }

                """
        )
    }

    @Test func escapes() {
        #expect(
            JSONSchemaNode.string("\"\\\n\r\t\u{1}\u{1F}\u{E4}\u{1F600}/").text
                == #""\"\\\n\r\t\u0001\u001f"# + "\u{E4}\u{1F600}/\""
        )
    }

    @Test func numbersThatJSONCannotRepresent() {
        #expect(JSONSchemaNode.number(.infinity).text == "null")
        #expect(JSONSchemaNode.number(.nan).text == "null")
    }

    @Test func keys() {
        let node: JSONSchemaNode = ["a": 1]
        #expect(node["a"] == 1)
        #expect(node["b"] == nil)
        #expect(node.adding([("b", 2)]).text == #"{"a":1,"b":2}"#)
        #expect(JSONSchemaNode.integer(1).adding([("b", 2)]) == 1)
        #expect(JSONSchemaNode.integer(1)["a"] == nil)
    }
}
