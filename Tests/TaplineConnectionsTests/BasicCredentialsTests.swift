// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import Testing

@Suite("Credentials of clients")
struct BasicCredentialsTests {
    private let credentials = BasicCredentials(user: "me", password: "p:w/")

    @Test(
        "match their own value and no other",
        arguments: [
            ("Basic bWU6cDp3Lw==", true), ("basic bWU6cDp3Lw==", true),
            ("BASIC bWU6cDp3Lw==", true),
            ("Basic bWU6cDp3Lw=", false), ("Basic bWU6cDp3Lw==a", false), ("Basic ", false),
            ("Basic", false), ("", false), ("Bearer bWU6cDp3Lw==", false),
            ("Basic bWU6cDp3Lw==bWU6cDp3Lw==", false),
        ]
    )
    func value(text: String, isMatch: Bool) {
        #expect(credentials.matches(text.utf8.span) == isMatch)
    }

    @Test("match their user and password")
    func userAndPassword() {
        for (user, password, isMatch) in [
            ("me", "p:w/", true), ("me:p", "w/", true), ("me", "", false), ("", "p:w/", false),
        ] {
            let found = credentials.matches(user: user.utf8.span, password: password.utf8.span)
            #expect(found == isMatch, "\(user) \(password)")
        }
    }

    @Test("are written as a field and in a URL, but appear in no description")
    func text() {
        #expect(credentials.fieldValue == "Basic bWU6cDp3Lw==")
        #expect(credentials.userInfo == "me:p%3Aw%2F")
        #expect("\(credentials)" == "credentials")
    }
}
