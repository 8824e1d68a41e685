// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct CodeNamesTests {
    @Test(arguments: [
        "setItem", "Setenv", "put", "SetHeader", "set_value", "of", "getProperty", "HSET",
    ])
    func settersAreRecognized(name: String) {
        let isSetter = CodeNames.isSetter(name.utf8.span)
        #expect(isSetter)
    }

    @Test(arguments: ["settle", "t", "i18n", "address", "offer", "", "$", "assertEquals", "puts"])
    func otherFunctionsAreNotSetters(name: String) {
        let isSetter = CodeNames.isSetter(name.utf8.span)
        #expect(!isSetter)
    }

    @Test func keywordsAreRecognized() {
        let words = ["var", "define", "forKey", "String", "token"]
        let declares = words.map { CodeNames.declares($0.utf8.span) }
        let defines = words.map { CodeNames.defines($0.utf8.span) }
        let names = words.map { CodeNames.namesBefore($0.utf8.span) }
        let wraps = words.map { CodeNames.isWrapper($0.utf8.span) }
        #expect(declares == [true, false, false, false, false])
        #expect(defines == [false, true, false, false, false])
        #expect(names == [false, false, true, false, false])
        #expect(wraps == [false, false, false, true, false])
    }
}
