// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TestSupport

@testable import TaplineCapture

/// One case that is run in one way, with everything that its caller observed.
final class DifferenceRun: Sendable {
    /// The longest time to wait for anything.
    private static let patience = Duration.seconds(20)

    let session: any Session
    let configuration: URLSessionConfiguration
    let notes = Notes()
    /// The callbacks to delegates of single calls, for which Foundation does not wait.
    let delegateNotes = Notes()
    let tap = Tap(limits: .init(entries: 1000))
    private let name: String
    private let hasDelegate: Bool
    private let server: DifferenceServer
    private let tasks = Mutex<[URLSessionTask]>([])

    init(_ difference: DifferenceCase, _ way: Way, _ server: DifferenceServer) throws {
        name = difference.name
        self.server = server
        configuration = .ephemeral
        configuration.timeoutIntervalForRequest = 15
        difference.configure(configuration)
        let delegate = difference.delegate.make(difference.behaviour, notes)
        hasDelegate = delegate != nil
        session = way.session(configuration, delegate, tap)
        if way != .plain { try tap.start() }
    }

    /// Returns the URL of a route of the server, under the name of the case.
    func url(_ route: String) -> URL { server.path("/\(name)/\(route)") }

    func request(_ route: String, _ method: String = "GET", _ body: String? = nil) -> URLRequest {
        var request = URLRequest(url: url(route))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }

    /// Returns the number of requests that the server has received.
    func requestCount() async throws -> Int { try await server.count(of: name) }

    /// A completion handler that notes its arguments.
    var handler: TapSession.DataHandler {
        { [notes, queue = session.delegateQueue] data, response, error in
            notes.add("handler \(describe(data)) \(describe(response)) \(describe(error))")
            notes.add("on its queue: \(OperationQueue.current === queue)")
        }
    }

    /// The same for a download.
    var fileHandler: TapSession.FileHandler {
        { [notes] file, response, error in
            let data = file.flatMap { try? Data(contentsOf: $0) }
            notes.add("handler of file \(describe(data)) \(describe(response)) \(describe(error))")
        }
    }

    /// Notes what an `async` call returns or throws.
    func awaited(_ call: () async throws -> (Data, URLResponse)) async throws {
        do {
            let (data, response) = try await call()
            notes.add("got \(describe(data)) \(describe(response))")
        } catch {
            notes.add("caught \(describe(error))")
        }
    }

    /// Starts a task and waits until it has ended.
    func finish(_ task: URLSessionTask) async throws {
        start(task)
        try await ended(task)
    }

    /// Starts a task, whose final state is noted.
    func start(_ task: URLSessionTask) {
        tasks.withLock { $0.append(task) }
        task.resume()
    }

    /// Waits until a task has ended.
    func ended(_ task: URLSessionTask) async throws {
        try await until("the end of a task") { task.state == .completed }
    }

    /// Waits until a condition is true.
    func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + Self.patience
        while try await !condition() {
            guard ContinuousClock.now < end else { return notes.add("waited in vain for \(what)") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Ends the session and returns everything that was observed, line by line.
    func outcome() async throws -> Outcome {
        let left = await withCheckedContinuation { done in
            session.getAllTasks { done.resume(returning: $0.count) }
        }
        notes.add("tasks left: \(left)")
        session.invalidateAndCancel()
        await withCheckedContinuation { done in
            session.delegateQueue.addOperation { done.resume() }
        }
        if hasDelegate { try await until("the end of the session") { notes.hasEnd } }
        tap.stop()
        let cookies = configuration.httpCookieStorage?.cookies ?? []
        return Outcome(
            calls: notes.lines + delegateNotes.lines,
            tasks: tasks.withLock { $0.map(describe) },
            requests: try await server.takeRequests(of: name),
            cookies: cookies.map { "\($0.name)=\($0.value) \($0.domain) \($0.path)" }.sorted(),
            cached: tasks.withLock { tasks in
                tasks.map { task in
                    let request = task.originalRequest
                    let kept = request.flatMap { configuration.urlCache?.cachedResponse(for: $0) }
                    return "\(describe(kept?.data)) \(describe(kept?.response))"
                }
            }
        )
    }
}

/// Everything that can be observed of one run.
struct Outcome: Equatable {
    var calls: [String]
    var tasks: [String]
    var requests: [String]
    var cookies: [String]
    var cached: [String]
}

/// The callbacks that a caller received, in order; data in several parts counts as one.
final class Notes: Sendable {
    private enum Note {
        case line(String)
        case data(Data)
        case sent(String)
    }

    private let notes = Mutex<[Note]>([])

    func add(_ line: String) { notes.withLock { $0.append(.line(line)) } }

    func add(data: Data) {
        notes.withLock { notes in
            if case .data(let former) = notes.last {
                notes[notes.count - 1] = .data(former + data)
            } else {
                notes.append(.data(data))
            }
        }
    }

    /// Notes how much was sent; of several consecutive notes, the last one counts.
    func add(sent: String) {
        notes.withLock { notes in
            if case .sent = notes.last { notes.removeLast() }
            notes.append(.sent(sent))
        }
    }

    /// Whether the session has ended.
    var hasEnd: Bool { lines.contains { $0.hasPrefix("invalid ") } }

    var lines: [String] {
        notes.withLock { notes in
            notes.map { note in
                switch note {
                case .line(let line): line
                case .data(let data): "data \(describe(data))"
                case .sent(let sent): "sent \(sent)"
                }
            }
        }
    }
}

func describe(_ data: Data?) -> String {
    guard let data else { return "no data" }
    // Long data is noted by its length and a checksum.
    if data.count > 100 { return "\(data.count) bytes \(data.reduce(0) { $0 &* 31 &+ Int($1) })" }
    return "'\(String(decoding: data, as: UTF8.self))'"
}

func describe(_ request: URLRequest?) -> String {
    guard let request else { return "no request" }
    let fields = (request.allHTTPHeaderFields ?? [:]).map { name, value in
        // Cookies have no fixed order.
        "\(name): \(name == "Cookie" ? "\(value.components(separatedBy: "; ").sorted())" : value)"
    }.sorted()
    return "\(request.httpMethod ?? "") \(request.url?.absoluteString ?? "") \(fields) "
        + "\(describe(request.httpBody)) stream: \(request.httpBodyStream != nil) "
        + "\(request.timeoutInterval) \(request.cachePolicy)"
}

func describe(_ response: URLResponse?) -> String {
    guard let response else { return "no response" }
    var text =
        "\(type(of: response)) \(response.url?.absoluteString ?? "") \(response.mimeType ?? "") "
        + "\(response.textEncodingName ?? "") \(response.expectedContentLength) "
        + "\(response.suggestedFilename ?? "")"
    if let response = response as? HTTPURLResponse {
        let fields = response.allHeaderFields.map { "\($0.key): \($0.value)" }.sorted()
        text += " \(response.statusCode) \(fields)"
    }
    return text
}

func describe(_ error: (any Error)?) -> String {
    guard let error else { return "no error" }
    let all = error as NSError
    let info = all.userInfo.map { key, value in
        "\(key)=\((value as? any Error).map(describe) ?? "\(value)")"
    }.sorted()
    let text = "\(type(of: error)) \(all.domain) \(all.code) \(info) \(error.localizedDescription)"
    // libcurl reports how long it has tried.
    return text.replacing(/after \d+ ms/, with: "after some ms")
}

func describe(_ task: URLSessionTask) -> String {
    """
    \(task.state) \(describe(task.error))
    \(task.taskIdentifier) \(task.taskDescription ?? "") \(task.priority)
    original \(describe(task.originalRequest))
    current \(describe(task.currentRequest))
    \(describe(task.response))
    received \(task.countOfBytesReceived) of \(task.countOfBytesExpectedToReceive)
    sent \(task.countOfBytesSent) of \(task.countOfBytesExpectedToSend)
    """
}
