// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Tapline
import TaplineDetectors

/// An app that sends the requests of a file, in each way in which an app can be captured by turns.
///
///     CanaryApp PIPELINE REQUESTS
///
/// It prints `sent` when every answer is there, and ends when its standard input does.
@main
struct CanaryApp {
    /// A request of the file.
    struct Planned: Decodable {
        let method: String
        let url: String
        let headers: [[String]]
        let body: Data?
    }

    static func main() async throws {
        let files = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
        try Tapline.start(configuration: files[0], plugins: .detectors)
        let requests = try JSONDecoder().decode([Planned].self, from: Data(contentsOf: files[1]))
        let tapped = URLSession(configuration: .ephemeral.tapped())
        let wrapped = TapSession(configuration: .ephemeral)
        for (number, request) in requests.compactMap(urlRequest).enumerated() {
            // Answers that Foundation does not take are part of it.
            switch number % 3 {
            case 0: _ = try? await URLSession.shared.data(for: request)
            case 1: _ = try? await tapped.data(for: request)
            default: _ = try? await wrapped.data(for: request)
            }
        }
        print("sent")
        fflush(nil)
        while readLine() != nil {}
        Tapline.stop()
    }

    private static func urlRequest(_ planned: Planned) -> URLRequest? {
        guard let url = URL(string: planned.url) else { return nil }
        var request = URLRequest(url: url, timeoutInterval: 20)
        request.httpMethod = planned.method
        for field in planned.headers { request.addValue(field[1], forHTTPHeaderField: field[0]) }
        request.httpBody = planned.body
        return request
    }
}
