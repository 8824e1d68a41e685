// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Glibc

/// A file of one case, which is removed with it.
final class CaseFile: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    init(_ text: String) throws { try Data(text.utf8).write(to: url) }
    /// Creates a pipe without a writer.
    init(pipe: Void) throws {
        guard unsafe mkfifo(url.path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
    deinit { try? FileManager.default.removeItem(at: url) }
}

/// Uploads, and stored data: caches, cookies, credentials.
extension DifferenceCase {
    private static let long = String(repeating: "0123456789abcdef", count: 200_000)

    private static func streamed(_ run: DifferenceRun, _ route: String = "echo") -> URLRequest {
        var request = run.request(route, "POST")
        request.httpBodyStream = InputStream(data: Data("a stream".utf8))
        return request
    }

    private static let stream = Behaviour(stream: { InputStream(data: Data("asked for".utf8)) })

    static let uploads = [
        DifferenceCase("upload-data-handler") { run in
            try await run.finish(
                run.session.uploadTask(
                    with: run.request("echo", "PUT"),
                    from: Data("up".utf8),
                    completionHandler: run.handler
                )
            )
        },
        DifferenceCase("upload-data-delegate", .data) { run in
            let request = run.request("echo", "PUT")
            try await run.finish(run.session.uploadTask(with: request, from: Data("up".utf8)))
        },
        DifferenceCase("upload-nothing", .data) { run in
            let request = run.request("echo", "POST")
            try await run.finish(run.session.uploadTask(with: request, from: Data()))
        },
        DifferenceCase("upload-long-delegate", .data) { run in
            let request = run.request("echo", "POST")
            try await run.finish(run.session.uploadTask(with: request, from: Data(long.utf8)))
        },
        DifferenceCase("upload-file-handler") { run in
            let file = try CaseFile("a file")
            try await run.finish(
                run.session.uploadTask(
                    with: run.request("echo", "PUT"),
                    fromFile: file.url,
                    completionHandler: run.handler
                )
            )
        },
        DifferenceCase("upload-file-delegate", .data) { run in
            let file = try CaseFile("a file")
            let request = run.request("echo", "PUT")
            try await run.finish(run.session.uploadTask(with: request, fromFile: file.url))
        },
        // With a completion handler, Foundation traps.
        DifferenceCase("upload-missing-file", .data) { run in
            let file = URL(fileURLWithPath: "/nowhere/at/all")
            let request = run.request("echo", "PUT")
            try await run.finish(run.session.uploadTask(with: request, fromFile: file))
        },
        // Foundation sends nothing, and does not wait for data.
        DifferenceCase("upload-pipe", .data) { run in
            let pipe = try CaseFile(pipe: ())
            let request = run.request("echo", "PUT")
            try await run.finish(run.session.uploadTask(with: request, fromFile: pipe.url))
        },
        DifferenceCase("upload-redirected", .data) { run in
            let request = run.request("redirect/307/echo", "POST")
            try await run.finish(run.session.uploadTask(with: request, from: Data("up".utf8)))
        },
        DifferenceCase("stream-handler") { run in
            try await run.finish(
                run.session.dataTask(with: streamed(run), completionHandler: run.handler)
            )
        },
        DifferenceCase("stream-delegate", .data) { run in
            try await run.finish(run.session.dataTask(with: streamed(run)))
        },
        DifferenceCase("stream-asked-for", .data, stream) { run in
            let request = run.request("echo", "POST")
            try await run.finish(run.session.uploadTask(withStreamedRequest: request))
        },
        DifferenceCase("stream-asked-for-not-there", .data) { run in
            let request = run.request("echo", "POST")
            try await run.finish(run.session.uploadTask(withStreamedRequest: request))
        },
        // Not a download with resume data: Foundation sometimes traps ("not in the registry").
    ]

    /// Sends the same request again, with a cache policy.
    private static func again(
        _ name: String,
        _ route: String,
        _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        _ delegate: DelegateKind = .none,
        _ behaviour: Behaviour = Behaviour()
    ) -> DifferenceCase {
        DifferenceCase(name, delegate, behaviour) { run in
            for _ in 0..<2 {
                var request = run.request(route)
                request.cachePolicy = policy
                try await run.finish(
                    delegate.getsTaskCallbacks
                        ? run.session.dataTask(with: request)
                        : run.session.dataTask(with: request, completionHandler: run.handler)
                )
            }
        }
    }

    static let caches = [
        again("cache-fresh", "fresh"),
        again("cache-fresh-delegate", "fresh", .useProtocolCachePolicy, .data),
        again("cache-stale", "stale"),
        again("cache-stale-delegate", "stale", .useProtocolCachePolicy, .data),
        again("cache-tagged", "tagged"),
        again("cache-tagged-delegate", "tagged", .useProtocolCachePolicy, .data),
        again("cache-unstored", "unstored", .useProtocolCachePolicy, .data),
        again("cache-reload", "fresh", .reloadIgnoringLocalCacheData, .data),
        again("cache-only", "fresh", .returnCacheDataDontLoad),
        again("cache-only-delegate", "fresh", .returnCacheDataDontLoad, .data),
        again("cache-else-load", "stale", .returnCacheDataElseLoad, .data),
        again(
            "cache-refused",
            "fresh",
            .useProtocolCachePolicy,
            .data,
            Behaviour(cache: { _ in nil })
        ),
    ]

    static let cookies = [
        again("cookies-kept", "cookies"),
        again("cookies-kept-delegate", "cookies", .useProtocolCachePolicy, .data),
        DifferenceCase(
            "cookies-not-sent",
            configure: { $0.httpShouldSetCookies = false },
            again("", "cookies").work
        ),
        DifferenceCase(
            "cookies-never",
            configure: { $0.httpCookieAcceptPolicy = .never },
            again("", "cookies").work
        ),
        DifferenceCase(
            "cookies-nowhere",
            configure: { $0.httpCookieStorage = nil },
            again("", "cookies").work
        ),
        DifferenceCase("cookies-of-the-app", .data) { run in
            var request = run.request("echo")
            request.setValue("own=1", forHTTPHeaderField: "Cookie")
            try await run.finish(run.session.dataTask(with: request))
        },
    ]
}

extension DelegateKind {
    var getsTaskCallbacks: Bool {
        switch self {
        case .none, .session: false
        case .tasks, .data, .downloads: true
        }
    }
}
