// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking

/// Challenges, failures, cancellations, and other calls of sessions.
extension DifferenceCase {
    private static let letIn = URLCredential(user: "u", password: "p", persistence: .none)
    private static let keptOut = URLCredential(user: "u", password: "x", persistence: .none)

    private static func challenged(
        _ name: String,
        _ route: String = "basic",
        _ answer:
            @escaping @Sendable (URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
    ) -> DifferenceCase {
        DifferenceCase(name, .data, Behaviour(challenge: answer)) { run in
            try await run.finish(run.session.dataTask(with: run.request(route)))
        }
    }

    // Not the credential for a Digest challenge, because Foundation traps.
    // Not an unanswered challenge, because Foundation never ends the task.
    static let challenges = [
        challenged("basic-answered") { _ in (.useCredential, letIn) },
        challenged("basic-answered-twice") {
            (.useCredential, $0.previousFailureCount == 0 ? keptOut : letIn)
        },
        challenged("basic-cancelled") { _ in (.cancelAuthenticationChallenge, nil) },
        challenged("basic-rejected") { _ in (.rejectProtectionSpace, nil) },
        // An interim response is not the response yet, whichever callback receives it.
        challenged("hints-then-cancelled", "hintsbasic") { _ in
            (.cancelAuthenticationChallenge, nil)
        },
        challenged("hints-then-answered", "hintsbasic") { _ in (.useCredential, letIn) },
        challenged("basic-then-redirected", "inner") { _ in (.useCredential, letIn) },
        challenged("digest-cancelled", "digest") { _ in (.cancelAuthenticationChallenge, nil) },
        DifferenceCase("basic-given") { run in
            var request = run.request("basic")
            request.setValue("Basic dTpw", forHTTPHeaderField: "Authorization")
            try await run.finish(
                run.session.dataTask(with: request, completionHandler: run.handler)
            )
        },
    ]

    private static let impossible = [
        "refused": "http://127.0.0.1:1/", "unknown-host": "http://no-such-host.invalid/",
        "unknown-scheme": "unheard-of://127.0.0.1/", "no-host": "http:///x",
        "bad-port": "http://127.0.0.1:99999/", "tls-of-plain": "https://127.0.0.1:1/",
    ]

    static let failures =
        impossible.sorted { $0.key < $1.key }.flatMap { name, text -> [DifferenceCase] in
            guard let url = URL(string: text) else { return [] }
            return [
                DifferenceCase("\(name)-handler") { run in
                    try await run.finish(
                        run.session.dataTask(
                            with: URLRequest(url: url),
                            completionHandler: run.handler
                        )
                    )
                },
                DifferenceCase("\(name)-delegate", .data) { run in
                    try await run.finish(run.session.dataTask(with: url))
                },
                DifferenceCase("\(name)-download") { run in
                    try await run.finish(
                        run.session.downloadTask(
                            with: URLRequest(url: url),
                            completionHandler: run.fileHandler
                        )
                    )
                },
            ]
        }
        + ["silent", "stuck"].flatMap { route -> [DifferenceCase] in
            [
                DifferenceCase("timeout-\(route)-handler") { run in
                    var request = run.request(route)
                    request.timeoutInterval = 1
                    try await run.finish(
                        run.session.dataTask(with: request, completionHandler: run.handler)
                    )
                },
                DifferenceCase(
                    "timeout-\(route)-delegate",
                    .data,
                    configure: { $0.timeoutIntervalForRequest = 1 }
                ) { run in try await run.finish(run.session.dataTask(with: run.url(route))) },
            ]
        }

    // Not during a redirection that waits for its delegate, and not for a task that was suspended
    // and resumed: Foundation traps.
    static let cancellations = [
        DifferenceCase("cancel-before-it-starts", .data) { run in
            let task = run.session.dataTask(with: run.url("hello"))
            task.cancel()
            try await run.finish(task)
        },
        DifferenceCase("cancel-at-once", .data, isRacy: true) { run in
            let task = run.session.dataTask(with: run.url("silent"))
            run.start(task)
            task.cancel()
            try await run.ended(task)
        },
        DifferenceCase("cancel-before-the-answer-delegate", .data) { run in
            let task = run.session.dataTask(with: run.url("silent"))
            run.start(task)
            try await run.until("a request") { try await run.requestCount() == 1 }
            task.cancel()
            try await run.ended(task)
        },
        DifferenceCase("cancel-before-the-answer-handler") { run in
            let task = run.session.dataTask(
                with: run.request("silent"),
                completionHandler: run.handler
            )
            run.start(task)
            try await run.until("a request") { try await run.requestCount() == 1 }
            task.cancel()
            task.cancel()
            try await run.ended(task)
        },
        DifferenceCase("cancel-at-the-data", .data, Behaviour(data: { $0.cancel() })) { run in
            try await run.finish(run.session.dataTask(with: run.url("stuck")))
        },
        DifferenceCase(
            "cancel-at-the-response",
            .data,
            Behaviour(response: { task in
                task.cancel()
                return .allow
            })
        ) { run in try await run.finish(run.session.dataTask(with: run.url("stuck"))) },
        DifferenceCase(
            "cancel-by-the-answer",
            .data,
            Behaviour(response: { _ in .cancel })
        ) { run in try await run.finish(run.session.dataTask(with: run.url("hello"))) },
        DifferenceCase("cancel-after-the-end") { run in
            let task = run.session.dataTask(
                with: run.request("hello"),
                completionHandler: run.handler
            )
            try await run.finish(task)
            task.cancel()
        },
        DifferenceCase("cancel-a-download", .downloads) { run in
            let task = run.session.downloadTask(with: run.request("silent"))
            run.start(task)
            try await run.until("a request") { try await run.requestCount() == 1 }
            task.cancel()
            try await run.ended(task)
        },
        DifferenceCase("cancel-an-upload") { run in
            let task = run.session.uploadTask(
                with: run.request("silent", "PUT"),
                from: Data("up".utf8),
                completionHandler: run.handler
            )
            run.start(task)
            try await run.until("a request") { try await run.requestCount() == 1 }
            task.cancel()
            try await run.ended(task)
        },
        DifferenceCase("cancel-the-session", .data) { run in
            let task = run.session.dataTask(with: run.url("silent"))
            run.start(task)
            try await run.until("a request") { try await run.requestCount() == 1 }
            run.session.invalidateAndCancel()
            try await run.ended(task)
        },
        DifferenceCase("end-the-session", .data) { run in
            let task = run.session.dataTask(with: run.url("slow"))
            run.start(task)
            run.session.finishTasksAndInvalidate()
            try await run.ended(task)
        },
        DifferenceCase("resumed-twice", .data) { run in
            let task = run.session.dataTask(with: run.url("hello"))
            task.resume()
            try await run.finish(task)
        },
    ]

    static let sessions = [
        DifferenceCase("connection-refused") { run in
            try await run.finish(run.session.dataTask(with: run.url("redirect/302/cookies")))
        },
        DifferenceCase("a-delegate-of-the-session", .session) { run in
            try await run.finish(run.session.dataTask(with: run.url("redirect/302/cookies")))
        },
        DifferenceCase("a-delegate-of-tasks", .tasks) { run in
            try await run.finish(run.session.dataTask(with: run.url("redirect/302/cookies")))
        },
        DifferenceCase("a-download-for-a-delegate-of-tasks", .tasks) { run in
            try await run.finish(run.session.downloadTask(with: run.request("hello")))
        },
        DifferenceCase("a-handler-beside-a-delegate", .data) { run in
            try await run.finish(
                run.session.dataTask(
                    with: run.request("redirect/302/cookies"),
                    completionHandler: run.handler
                )
            )
        },
        DifferenceCase("redirection-refused", .data, Behaviour(redirect: { _, _ in nil })) { run in
            try await run.finish(run.session.dataTask(with: run.url("redirect/302/hello")))
        },
        DifferenceCase(
            "redirection-changed",
            .data,
            Behaviour(redirect: { _, request in
                var changed = request
                changed.setValue("1", forHTTPHeaderField: "X-Changed")
                return changed
            })
        ) { run in try await run.finish(run.session.dataTask(with: run.url("redirect/302/hello")))
        },
        DifferenceCase(
            "fields-of-the-session",
            .data,
            configure: { $0.httpAdditionalHeaders = ["X-Of-App": "1", "User-Agent": "mine"] }
        ) { run in
            var request = run.request("hello")
            request.setValue("yours", forHTTPHeaderField: "User-Agent")
            try await run.finish(run.session.dataTask(with: request))
        },
        DifferenceCase("described", .data) { run in
            let task = run.session.dataTask(with: run.url("hello"))
            task.taskDescription = "a task"
            task.priority = URLSessionTask.highPriority
            try await run.finish(task)
        },
        DifferenceCase("several-tasks", .data) { run in
            for route in ["hello", "chunks", "empty"] {
                try await run.finish(run.session.dataTask(with: run.url(route)))
            }
        },
        DifferenceCase("data-awaited") { run in
            try await run.awaited {
                try await run.session.data(for: run.request("hello"), delegate: nil)
            }
        },
        DifferenceCase("failure-awaited") { run in
            try await run.awaited {
                try await run.session.data(for: run.request("none"), delegate: nil)
            }
        },
        // Not a challenge: Foundation does not ask the delegate of a call, and the call never ends.
        DifferenceCase("data-awaited-by-a-delegate", .data) { run in
            let delegate = NotingData(Behaviour(isInTime: false), run.delegateNotes)
            for route in ["redirect/302/hello", "chunks", "early"] {
                try await run.awaited {
                    try await run.session.data(for: run.request(route), delegate: delegate)
                }
            }
        },
        DifferenceCase("upload-awaited-by-a-delegate") { run in
            let file = try CaseFile("a file")
            let request = run.request("echo", "PUT")
            let delegate = NotingData(Behaviour(isInTime: false), run.delegateNotes)
            try await run.awaited {
                let data = Data("up".utf8)
                return try await run.session.upload(for: request, from: data, delegate: delegate)
            }
            try await run.awaited {
                try await run.session.upload(for: request, fromFile: file.url, delegate: delegate)
            }
        },
        DifferenceCase("download-awaited-by-a-delegate") { run in
            let delegate = NotingDownloads(Behaviour(isInTime: false), run.delegateNotes)
            try await run.awaited {
                let request = run.request("hello")
                let (file, response) = try await run.session.download(
                    for: request,
                    delegate: delegate
                )
                defer { try? FileManager.default.removeItem(at: file) }
                return (try Data(contentsOf: file), response)
            }
        },
        DifferenceCase("upload-awaited") { run in
            try await run.awaited {
                let data = Data("up".utf8)
                return try await run.session.upload(
                    for: run.request("echo", "PUT"),
                    from: data,
                    delegate: nil
                )
            }
        },
        DifferenceCase("upload-of-a-file-awaited") { run in
            let file = try CaseFile("a file")
            try await run.awaited {
                try await run.session.upload(
                    for: run.request("echo", "PUT"),
                    fromFile: file.url,
                    delegate: nil
                )
            }
        },
        DifferenceCase("download-awaited") { run in
            try await run.awaited {
                let request = run.request("hello")
                let (file, response) = try await run.session.download(for: request, delegate: nil)
                defer { try? FileManager.default.removeItem(at: file) }
                return (try Data(contentsOf: file), response)
            }
        },
    ]
}
