// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking

/// Which class loads a request, and which callbacks report its response.
extension DifferenceCase {
    /// Returns a URL that the protocol class answers, the same each time.
    private static func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://\(FactProtocol.host)/\(path)") else {
            throw URLError(.badURL)
        }
        return url
    }

    private static let own: @Sendable (URLSessionConfiguration) -> Void = {
        $0.protocolClasses = [FactProtocol.self]
    }

    /// Delegates to which Foundation cannot report a file; a protocol class cannot provide one.
    private static let withoutFiles = [DelegateKind.none, .session, .tasks]

    static let classes =
        withoutFiles.flatMap { kind -> [DifferenceCase] in
            [
                DifferenceCase("own-class-data-\(kind)", kind, configure: own) { run in
                    try await run.finish(run.session.dataTask(with: url("own")))
                },
                DifferenceCase("own-class-download-\(kind)", kind, configure: own) { run in
                    let request = try URLRequest(url: url("own"))
                    try await run.finish(run.session.downloadTask(with: request))
                },
            ]
        } + [
            DifferenceCase("own-class-data", .data, configure: own) { run in
                try await run.finish(run.session.dataTask(with: url("parts")))
            },
            DifferenceCase("own-class-handler", configure: own) { run in
                let request = try URLRequest(url: url("parts"))
                let task = run.session.dataTask(with: request, completionHandler: run.handler)
                try await run.finish(task)
            },
            // Foundation's class recognizes schemes only in lower case.
            DifferenceCase("scheme-in-capitals") { run in
                let text = run.url("hello").absoluteString.replacing("http:", with: "HTTP:")
                guard let url = URL(string: text) else { throw URLError(.badURL) }
                let request = URLRequest(url: url)
                let task = run.session.dataTask(with: request, completionHandler: run.handler)
                try await run.finish(task)
            },
        ]
        + [DelegateKind.tasks, .downloads].map { kind in
            let refusal = Behaviour(redirect: { _, _ in nil })
            return DifferenceCase("download-redirection-refused-\(kind)", kind, refusal) { run in
                let request = run.request("redirect/302/hello")
                try await run.finish(run.session.downloadTask(with: request))
            }
        }
}
