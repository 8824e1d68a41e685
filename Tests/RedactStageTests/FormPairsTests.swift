// SPDX-License-Identifier: MIT

import Testing

@Suite struct FormPairsTests {
    @Test(arguments: [
        ("name=password&value=x&a=b", "name=password&value=%5Bredacted%5D&a=b"),
        (
            "Tag.1.Name=password&Tag.1.Value=x&Tag.2.Name=env&Tag.2.Value=prod",
            "Tag.1.Name=password&Tag.1.Value=%5Bredacted%5D&Tag.2.Name=env&Tag.2.Value=prod"
        ),
        (
            "f%5B0%5D[name]=api%20key&f%5B0%5D[value]=x",
            "f%5B0%5D[name]=api%20key&f%5B0%5D[value]=%5Bredacted%5D"
        ),
        ("a.name=password&b.value=x", "a.name=password&b.value=x"),
        ("name=ann&value=x", "name=ann&value=x"),
        ("value=x&name=password", "value=x&name=password"),
        ("name=password&name=b&value=x", "name=password&name=b&value=x"),
        ("key=abc", "key=%5Bredacted%5D"),
    ])
    func valuesAreRedactedByTheNamesBeforeThem(form: String, expected: String) throws {
        #expect(try redactBody(form, "application/x-www-form-urlencoded") == expected)
    }
}
