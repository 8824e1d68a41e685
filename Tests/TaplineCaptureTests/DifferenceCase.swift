// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

/// An operation of an app, performed without Tapline and with it.
struct DifferenceCase: Sendable, CustomTestStringConvertible {
    let name: String
    var delegate = DelegateKind.none
    var behaviour = Behaviour()
    var configure: @Sendable (URLSessionConfiguration) -> Void = { _ in }
    /// Whether the requests that the server receives depend on the timing of a cancellation.
    var isRacy = false
    let work: @Sendable (DifferenceRun) async throws -> Void

    var testDescription: String { name }

    init(
        _ name: String,
        _ delegate: DelegateKind = .none,
        _ behaviour: Behaviour = Behaviour(),
        isRacy: Bool = false,
        configure: @escaping @Sendable (URLSessionConfiguration) -> Void = { _ in },
        _ work: @escaping @Sendable (DifferenceRun) async throws -> Void
    ) {
        self.name = name
        self.delegate = delegate
        self.behaviour = behaviour
        self.isRacy = isRacy
        self.configure = configure
        self.work = work
    }

    static let all =
        routes + requests + redirections + uploads + caches + cookies + challenges + failures
        + cancellations + sessions + classes
}

extension DifferenceCase {
    // Not a truncated head or fields after the chunks: Foundation traps ("there's no response").
    /// Routes of the server that do not depend on the type of the task.
    private static let plainRoutes = [
        "hello", "latin", "named", "empty", "cookies", "unstored", "gzip", "deflate", "ungzip",
        "coded", "twice", "odd", "large", "nowhere", "elsewhere", "unknownscheme", "early",
        "surplus", "wordlength", "twolengths", "none", "rubbish", "unclosed", "noreason",
        "badchunk",
        "cutchunk", "hints", "continue", "folded", "chunks", "slow", "status/201", "status/204",
        "status/304", "status/404", "status/500", "far", "loop",
    ]

    /// Each route with a completion handler, with a delegate, and into a file.
    private static let routes = plainRoutes.flatMap { route -> [DifferenceCase] in
        let name = route.replacingOccurrences(of: "/", with: "-")
        return [
            DifferenceCase("\(name)-handler") { run in
                try await run.finish(
                    run.session.dataTask(with: run.request(route), completionHandler: run.handler)
                )
            },
            DifferenceCase("\(name)-delegate", .data) { run in
                try await run.finish(run.session.dataTask(with: run.url(route)))
            },
            DifferenceCase("\(name)-download") { run in
                try await run.finish(
                    run.session.downloadTask(
                        with: run.request(route),
                        completionHandler: run.fileHandler
                    )
                )
            },
            DifferenceCase("\(name)-download-delegate", .downloads) { run in
                try await run.finish(run.session.downloadTask(with: run.request(route)))
            },
        ]
    }

    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "ODD",
    ]

    private static let requests = methods.flatMap { method -> [DifferenceCase] in
        [
            DifferenceCase("\(method)-handler") { run in
                try await run.finish(
                    run.session.dataTask(
                        with: run.request("echo?a=1&b=%20", method),
                        completionHandler: run.handler
                    )
                )
            },
            DifferenceCase("\(method)-body", .data) { run in
                // Foundation sends no body with GET, and fails with an error.
                try await run.finish(
                    run.session.dataTask(with: run.request("echo", method, "body"))
                )
            },
        ]
    }

    private static let redirections = [301, 302, 303, 307, 308].flatMap {
        code -> [DifferenceCase] in
        ["GET", "POST"].flatMap { method -> [DifferenceCase] in
            let route = "redirect/\(code)/redirect/302/echo"
            return [
                DifferenceCase("\(code)-\(method)-handler") { run in
                    var request = run.request(route, method, method == "POST" ? "body" : nil)
                    request.setValue("mine", forHTTPHeaderField: "Authorization")
                    try await run.finish(
                        run.session.dataTask(with: request, completionHandler: run.handler)
                    )
                },
                DifferenceCase("\(code)-\(method)-delegate", .data) { run in
                    let request = run.request(route, method, method == "POST" ? "body" : nil)
                    try await run.finish(run.session.dataTask(with: request))
                },
            ]
        }
    }
}
