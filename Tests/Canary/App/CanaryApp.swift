// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Tapline
import TaplineDetectors

/// An app that sends the requests of a file, alternating between the ways in which an app can be
/// captured.
///
///     CanaryApp PIPELINE REQUESTS
///
/// It prints `sent` when every response has arrived, and exits when its standard input ends.
@main
struct CanaryApp {
    /// A request in the file.
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
            // Responses that Foundation rejects are included.
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
