// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Tapline  // the first of the two lines

@main
struct Main {
    static func main() async throws {
        try Tapline.start(configuration: URL(fileURLWithPath: "tapline.yaml"))  // the second line

        let address = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8000"
        guard let base = URL(string: address) else { return print("no URL: \(address)") }
        let client = OrderClient(base: base, session: .shared)
        let order = try await client.place("tea", token: "token-of-the-customer")
        print("placed order \(order.id)")
        for order in try await client.orders() { print("\(order.id) \(order.item)") }
    }
}
