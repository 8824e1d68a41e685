// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import FoundationNetworking
import Glibc
import Tapline

/// Sends requests in one of several ways, and prints the costs.
///
///     bench-tap WAY CONCURRENCY COUNT URL
///     bench-tap stress COUNT URL SLOW_URL MOVED_URL
///
/// Prints a line of four numbers: microseconds of processor time and of elapsed time per request,
/// the resident set in KiB after a tenth of the requests, and its peak. A tap is stopped before the
/// end of the measurement, so that its work in the background counts too.
@main
struct Main {
    static func main() throws {
        let words = CommandLine.arguments
        if words.count == 6, words[1] == "stress", let count = Int(words[2]),
            let url = URL(string: words[3]), let slow = URL(string: words[4]),
            let moved = URL(string: words[5])
        {
            return try StressRun(url: url, slow: slow, moved: moved, count: count).run()
        }
        guard words.count == 5, let way = Way(rawValue: words[1]), let concurrency = Int(words[2]),
            let count = Int(words[3]), let url = URL(string: words[4]), concurrency > 0
        else {
            print("bench-tap: expected WAY CONCURRENCY COUNT URL")
            exit(64)
        }
        let tap = way.isCaptured ? Tap() : nil
        try tap?.start()
        // The first requests open connections and initialise Foundation.
        let sender = Sender(way.session(tap), url)
        sender.send(concurrency * 4, concurrency)
        let begun = (processor: processorTime, wall: ContinuousClock.now)
        sender.send(count / 10, concurrency)
        let early = residentSet
        sender.send(count - count / 10, concurrency)
        tap?.stop()
        let wall = (ContinuousClock.now - begun.wall) / .microseconds(1)
        let processor = processorTime - begun.processor
        if way.isCaptured, tap?.entries.count != min(count + concurrency * 4, 100) {
            print("bench-tap: \(tap?.entries.count ?? 0) entries")
            exit(1)
        }
        print(processor / Double(count), wall / Double(count), early, peak)
    }

    /// The processor time of all threads, in microseconds.
    private static var processorTime: Double {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func one(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
        return one(usage.ru_utime) + one(usage.ru_stime)
    }

    private static var peak: Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss
    }

    private static var residentSet: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4
    }
}

/// How a request is sent.
enum Way: String {
    /// Only with URLSession.
    case plain
    /// With TapSession.
    case wrapped
    /// With a session that has a tapped configuration.
    case tapped
    /// With TapSession and a stopped tap.
    case idle
    /// With URLSession and a protocol class that only sends the request in another session.
    case bare

    var isCaptured: Bool { self == .wrapped || self == .tapped }

    /// Creates a task of a session.
    func session(_ tap: Tap?) -> (URL, @escaping Handler) -> URLSessionTask {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.urlCache = nil
        switch self {
        case .wrapped, .idle:
            let session = TapSession(configuration: configuration, tap: tap)
            return { session.dataTask(with: $0, completionHandler: $1) }
        case .tapped:
            return Way.tasks(of: configuration.tapped(by: tap))
        case .bare:
            configuration.protocolClasses = [BareProtocol.self]
            return Way.tasks(of: configuration)
        case .plain:
            return Way.tasks(of: configuration)
        }
    }

    typealias Handler = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

    private static func tasks(
        of configuration: URLSessionConfiguration
    ) -> (URL, @escaping Handler) -> URLSessionTask {
        let session = URLSession(configuration: configuration)
        return { session.dataTask(with: $0, completionHandler: $1) }
    }
}

/// Keeps a fixed number of requests in flight until all have ended.
final class Sender: @unchecked Sendable {
    private let makeTask: (URL, @escaping Way.Handler) -> URLSessionTask
    private let url: URL
    private let lock = NSLock()
    private let done = DispatchSemaphore(value: 0)
    private var left = 0
    private var running = 0

    init(_ makeTask: @escaping (URL, @escaping Way.Handler) -> URLSessionTask, _ url: URL) {
        self.makeTask = makeTask
        self.url = url
    }

    func send(_ count: Int, _ concurrency: Int) {
        guard count > 0 else { return }
        lock.withLock {
            left = count
            running = min(count, concurrency)
            left -= running
        }
        for _ in 0..<min(count, concurrency) { next() }
        done.wait()
    }

    private func next() {
        makeTask(url) { [self] data, response, error in
            guard let data, (response as? HTTPURLResponse)?.statusCode == 200, !data.isEmpty else {
                print("bench-tap: \(error.map { "\($0)" } ?? "no response")")
                exit(1)
            }
            let goesOn = lock.withLock { () -> Bool? in
                if left > 0 {
                    left -= 1
                    return true
                }
                running -= 1
                return running == 0 ? false : nil
            }
            switch goesOn {
            case true?: next()
            case false?: done.signal()
            case nil: break
            }
        }.resume()
    }
}

/// A typical protocol class, which sends each request again in a shared session.
///
/// It must deliver the response on Foundation's own queue, which it reaches by suspending and
/// resuming the task; on any other queue, Foundation would crash.
final class BareProtocol: URLProtocol {
    private final class Answer: @unchecked Sendable {
        private let lock = NSLock()
        private var value: (data: Data, response: URLResponse)?

        func set(_ data: Data, _ response: URLResponse) {
            lock.withLock { value = (data, response) }
        }

        func get() -> (data: Data, response: URLResponse)? { lock.withLock { value } }
    }

    private static let inner: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }()
    private static let queue = DispatchQueue(label: "bare")
    private let answer = Answer()
    private var hasBegun = false

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        if let (data, response) = answer.get() {
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: data)
            client?.urlProtocolDidFinishLoading(self)
            return
        }
        guard !hasBegun, let outer = task else { return }
        hasBegun = true
        Self.queue.async { [answer, request] in
            Self.inner.dataTask(with: request) { data, response, _ in
                if let data, let response { answer.set(data, response) }
                outer.suspend()
                outer.resume()
            }.resume()
        }
    }

    override func stopLoading() {}
}
