// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking

/// An order of the shop.
struct Order: Codable {
    let id: Int
    let item: String
}

/// The app's client of the shop, which has no code for Tapline.
struct OrderClient {
    let base: URL
    let session: URLSession

    /// All orders.
    func orders() async throws -> [Order] {
        let (data, _) = try await session.data(from: base.appendingPathComponent("orders"))
        return try JSONDecoder().decode([Order].self, from: data)
    }

    /// Places an order for the customer that a token identifies.
    func place(_ item: String, token: String) async throws -> Order {
        var request = URLRequest(url: base.appendingPathComponent("orders"))
        request.httpMethod = "POST"
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(["item": item])
        let (data, _) = try await session.data(for: request)
        return try JSONDecoder().decode(Order.self, from: data)
    }
}
