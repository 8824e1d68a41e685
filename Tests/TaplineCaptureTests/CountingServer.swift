// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TestSupport

/// A server on plain sockets that counts each byte that it reads and writes.
final class CountingServer: PythonServer, @unchecked Sendable {
    init() throws { try super.init("counting_server") }

    /// Returns the latest counts.
    func counts() async throws -> ByteCounts {
        let (data, _) = try await URLSession(configuration: .ephemeral).data(from: path("/counts"))
        let numbers = try JSONDecoder().decode([Int].self, from: data)
        return ByteCounts(
            up: .init(line: numbers[0], headers: numbers[1], body: numbers[2]),
            down: .init(line: numbers[3], headers: numbers[4], body: numbers[5]),
            isExact: true
        )
    }
}
