// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineServe

@Suite struct RouterTests {
    private static func routes() -> Router<String> {
        var routes = Router<String>()
        routes.add("GET", "/api/a", "read a")
        routes.add("POST", "/api/a", "change a")
        routes.add("GET", "/api/a/{}/b", "b of one")
        return routes
    }

    private func text(_ match: Router<String>.Match) -> String {
        switch match {
        case .found(let handler, let values): "\(handler) \(values.joined(separator: ","))"
        case .otherMethod(let methods): "allow \(methods.joined(separator: ","))"
        case .none: "none"
        }
    }

    @Test(
        "a request finds the route of its method and path",
        arguments: [
            ("GET", "api/a", "read a "),
            ("HEAD", "api/a", "read a "),
            ("POST", "api/a", "change a "),
            ("PUT", "api/a", "allow GET,POST"),
            ("GET", "api/a/7/b", "b of one 7"),
            ("GET", "api/a//b", "none"),
            ("POST", "api/a/7/b", "allow GET"),
            ("GET", "api/a/7", "none"),
            ("GET", "api", "none"),
            ("GET", "", "none"),
        ]
    )
    func match(_ method: String, _ path: String, _ expected: String) {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        #expect(text(Self.routes().match(method, segments)) == expected)
    }
}
