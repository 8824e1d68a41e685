// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct JSONPairsTests {
    @Test(arguments: [
        (#"{"name":"password","value":"x"}"#, #"{"name":"password","value":"*"}"#),
        (#"{"value":"x","name":"password"}"#, #"{"value":"*","name":"password"}"#),
        (#"{"key":"Authorization","value":"x"}"#, #"{"key":"Authorization","value":"*"}"#),
        (#"{"Key":"pin","Value":1}"#, #"{"Key":"pin","Value":"*"}"#),
        (#"{"field":"password","val":"x"}"#, #"{"field":"password","val":"*"}"#),
        (
            #"{"type":"field","value":"x","path":"pin"}"#,
            #"{"type":"field","value":"*","path":"pin"}"#
        ),
        (#"{"param":"user[otp]","value":"x"}"#, #"{"param":"user[otp]","value":"*"}"#),
        (#"{"property":"api key","value":"x"}"#, #"{"property":"api key","value":"*"}"#),
        (#"{"Parameter":"sid","VALUE":"x"}"#, #"{"Parameter":"sid","VALUE":"*"}"#),
        (#"{"header":"x-api-key","value":"x"}"#, #"{"header":"x-api-key","value":"*"}"#),
        (#"{"attribute":"jwt","val":"x"}"#, #"{"attribute":"jwt","val":"*"}"#),
        (#"{"variable":"DB_PASSWORD","value":"x"}"#, #"{"variable":"DB_PASSWORD","value":"*"}"#),
        (
            #"{"field":"password","message":"is required","values":["x"]}"#,
            #"{"field":"password","message":"is required","values":["x"]}"#
        ),
        (
            #"[{"name":"a","value":"x"},{"name":"token","value":"y"},{"name":"b","value":"z"}]"#,
            #"[{"name":"a","value":"x"},{"name":"token","value":"*"},{"name":"b","value":"z"}]"#
        ),
        (
            #"{"value":{"deep":["x"]},"enabled":true,"key":"\u0074oken"}"#,
            #"{"value":"*","enabled":true,"key":"\u0074oken"}"#
        ),
        (#"{"key":"token","value":{"stringValue":"x"}}"#, #"{"key":"token","value":"*"}"#),
        // Two names are a list of names.
        (
            #"[["password","token"],["password","my token"]]"#,
            #"[["password","token"],["password","*"]]"#
        ),
        // The text between them keeps its own edits.
        (
            #"{"value":"x","token":"y","o":{"value":"v","name":"sid"},"name":"password"}"#,
            #"{"value":"*","token":"*","o":{"value":"*","name":"sid"},"name":"password"}"#
        ),
        (
            #"{"value":{"value":"v","name":"sid"},"key":"a","name":"password"}"#,
            #"{"value":"*","key":"a","name":"password"}"#
        ),
        (
            #"{"value":"x","value":"y","name":"password"}"#,
            #"{"value":"*","value":"*","name":"password"}"#
        ),
        // A name in one object does not apply to the values around the object.
        (
            #"{"value":"x","o":{"name":"password"},"name":"n"}"#,
            #"{"value":"x","o":{"name":"password"},"name":"n"}"#
        ),
        (#"{"name":"password","a":["value"]}"#, #"{"name":"password","a":["value"]}"#),
        (
            #"{"name":"password","o":{"value":"x"}}"#,
            #"{"name":"password","o":{"value":"x"}}"#
        ),
        (#"{"secret":{"value":"x","name":"token"}}"#, #"{"secret":"*"}"#),
        // In an incomplete text, the name may have been that of a rule.
        (#"{"value":"x","nam"#, #"{"value":"*",*"#),
        (#"[{"value":"x"},{"value":"y","#, #"[{"value":"x"},{"value":"*","#),
    ])
    func valuesOfPairsAreFound(body: String, expected: String) throws {
        #expect(try redactBody(body, "application/json", "mask: '*'") == expected)
    }

    @Test(arguments: [
        (#"{"name":"token","value":"x"}"#, #"{"name":"token"}"#),
        (#"{"value":"x","name":"token"}"#, #"{"name":"token"}"#),
        (#"{"a":1,"value":"x","b":2,"key":"token"}"#, #"{"a":1,"b":2,"key":"token"}"#),
        (#"{"a":1,"key":"token","value":["x"]}"#, #"{"a":1,"key":"token"}"#),
        (
            #"{"value":"x","pin":1,"name":"token","pin":2}"#,
            #"{"name":"token"}"#
        ),
    ])
    func valuesOfPairsAreRemoved(body: String, expected: String) throws {
        #expect(try redactBody(body, "application/json", "action: remove") == expected)
    }

    @Test func ownRulesMatchPairs() throws {
        let yaml = "{preset: none, mask: '*', json: [email], headers: [x-a]}"
        let body = #"[{"name":"email","value":1},{"name":"X-A","value":2},{"name":"c","value":3}]"#
        let expected =
            #"[{"name":"email","value":"*"},{"name":"X-A","value":"*"},{"name":"c","value":3}]"#
        #expect(try redactBody(body, "application/json", yaml) == expected)
    }

    @Test func manyPairsTakeLinearTime() throws {
        let pair = #"{"value":"x","pin":1,"name":"token"}"#
        let body = "[" + Array(repeating: pair, count: 20_000).joined(separator: ",") + "]"
        let made = try redactBody(body, "application/json", "mask: '*'")
        #expect(made.utf8.count == body.utf8.count + 40_000)
        let deep =
            String(repeating: #"{"value":"#, count: 500) + "1"
            + String(repeating: #","name":"token"}"#, count: 500)
        let changed = try redactBody(deep, "application/json", "mask: '*'")
        #expect(changed == #"{"value":"*","name":"token"}"#)
    }
}
