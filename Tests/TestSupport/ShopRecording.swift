// SPDX-License-Identifier: MIT

package import TaplineModel

/// Users of a service at the same time, and the recording of what they do.
package struct ShopRecording: Sendable {
    /// The exchanges, in the order in which they started.
    package private(set) var exchanges: [Exchange] = []
    private var service: ShopService
    private var random: Random
    private var clock: Int64 = 1_764_192_000_000_000

    /// What a user knows.
    private struct User {
        let name: String
        var token = ""
        var cookie = ""
        var order = ""
        var revision = ""
        var nonce = ""
        var next = "/home"
        var step = 0
        /// When the last response was received.
        var ready: Int64 = 0
    }

    /// Records what some users do; each sends 12 requests.
    package init(users count: Int, seed: UInt64, service: ShopService) {
        self.service = service
        random = Random(seed: seed)
        var users = (0..<count).map { User(name: "user\($0)") }
        while let position = users.indices.filter({ users[$0].step < 12 }).randomElement(
            using: &random
        ) {
            perform(&users[position])
        }
        exchanges.sort { $0.started < $1.started }
    }

    private mutating func perform(_ user: inout User) {
        clock += Int64(random.below(2000))
        switch user.step {
        case 0:
            let response = send(&user, "POST", "/login", body: user.name)
            user.token = text(response, between: #"access_token":""#, and: "\"")
            let cookie = response.fields.first("Set-Cookie")?.description ?? ""
            user.cookie = String(cookie.dropFirst(4).prefix { $0 != ";" })
        case 1, 2: _ = send(&user, "GET", "/orders")
        case 3, 4:
            let response = send(&user, "POST", "/orders", body: #"{"item":"book"}"#)
            user.order = text(response, between: #""number":"#, and: ",")
        case 5:
            let response = send(&user, "GET", "/orders/\(user.order)")
            user.revision = response.fields.first("ETag")?.description ?? ""
        case 6:
            _ = send(&user, "PATCH", "/orders/\(user.order)", fields: ["If-Match": user.revision])
        case 7:
            let response = send(&user, "GET", "/orders/\(user.order)/confirm")
            user.nonce = text(response, between: "value=\"", and: "\"")
        case 8:
            _ = send(
                &user,
                "POST",
                "/orders/\(user.order)/confirm",
                fields: ["Content-Type": "application/x-www-form-urlencoded"],
                body: "note=yes&nonce=\(user.nonce)"
            )
        case 9: _ = send(&user, "GET", "/orders")
        default:
            let response = send(&user, "GET", user.next)
            user.next = text(response, between: "http://shop.test", and: "\"")
        }
        user.step += 1
    }

    private mutating func send(
        _ user: inout User,
        _ method: ByteString,
        _ target: String,
        fields: FieldSection = [:],
        body: String = ""
    ) -> Response {
        var request = Request(
            method: method,
            target: ByteString(target),
            authority: "shop.test",
            fields: fields
        )
        if !user.token.isEmpty {
            request.fields.append(name: "Authorization", value: "Bearer \(user.token)")
            request.fields.append(name: "Cookie", value: "sid=\(user.cookie)")
        }
        if !body.isEmpty { request.body = Body(Array(body.utf8)) }
        let started = max(clock, user.ready)
        let response = service.respond(to: request)
        var exchange = Exchange(
            id: ExchangeID(high: 0, low: UInt64(exchanges.count)),
            started: Timestamp(microseconds: started),
            request: request,
            response: response
        )
        let duration = Int64(100 + random.below(3000))
        exchange.timing.total = Microseconds(duration)
        // Each request has a connection of its own, so that only tokens tell users apart.
        exchange.connection.client = "10.0.0.1:\(20_000 + exchanges.count)"
        exchanges.append(exchange)
        user.ready = started + duration
        return response
    }

    private func text(_ response: Response, between start: String, and end: String) -> String {
        let body = String(decoding: response.body.bytes, as: UTF8.self)
        guard let from = body.firstRange(of: start)?.upperBound,
            let to = body[from...].firstRange(of: end)?.lowerBound
        else { return "" }
        return String(body[from..<to])
    }
}
