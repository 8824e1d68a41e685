// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineJSON
internal import TaplineModel
internal import TaplineServe
internal import TaplineStore
internal import TaplineSystem

/// Sends events to the pages that listen.
///
/// What a page gets is the newest state, so a slow page skips what is between. Events are sent by
/// `tick`, ten times a second.
///
/// **Isolation**: any thread.
final class EventHub: Sendable {
    private struct Client {
        let stream: ResponseStream
        /// The version of the state that was sent last.
        var version = -1
        /// The version of the stores' state that was sent last.
        var statusVersion = 0
        /// The version of the notices that were sent last.
        var noticeVersion: Int
        /// When something was sent last, in microseconds of the steady clock.
        var sent: Int64
    }

    private struct State {
        var clients: [Client] = []
        var version = 0
        var head: NumberedHead?
        var status = StoreStatus.ok
        /// 0 as long as the stores could be read.
        var statusVersion = 0
        var unfinished: [UnfinishedExchange] = []
        /// Exchanges whose notes, marks or tags were changed, each with its version.
        var changed: [(version: Int, id: ExchangeID)] = []
        /// The lists that have changed since the last tick.
        var views: [String: ListView] = [:]
        /// The newest data of other events by name, each with its version.
        var notices: [String: (version: Int, data: [UInt8])] = [:]
        var noticeVersion = 0
    }

    /// How many pages may listen.
    private static let maxClients = 32
    private static let maxChanged = 1000
    /// After how much silence a comment is sent, in microseconds.
    private static let silence: Int64 = 15_000_000

    private let state = Mutex(State())

    /// How many exchanges are in progress.
    var unfinished: Int { state.withLock { $0.unfinished.count } }

    /// Adds a page; `false` if there are too many.
    func add(_ stream: ResponseStream) -> Bool {
        let isAdded = state.withLock { state in
            state.clients.removeAll { $0.stream.isClosed }
            guard state.clients.count < Self.maxClients else { return false }
            state.clients.append(
                Client(
                    stream: stream,
                    noticeVersion: state.noticeVersion,
                    sent: SteadyClock.microseconds
                )
            )
            return true
        }
        if isAdded { tick() }
        return isAdded
    }

    func note(_ head: NumberedHead, _ unfinished: [UnfinishedExchange]) {
        state.withLock { state in
            state.head = head
            state.unfinished = unfinished
            state.version += 1
        }
    }

    /// Notes what is so with the stores.
    func note(_ status: StoreStatus) {
        state.withLock { state in
            guard state.status != status else { return }
            state.status = status
            state.statusVersion += 1
        }
    }

    func noteChange(of id: ExchangeID) {
        state.withLock { state in
            state.version += 1
            // A change by this process is also noticed in the store, a moment later.
            state.changed.removeAll { $0.id == id }
            state.changed.append((state.version, id))
            if state.changed.count > Self.maxChanged { state.changed.removeFirst() }
        }
    }

    func noteChange(of view: ListView) { state.withLock { $0.views[view.id] = view } }

    /// Sends an event at the next tick; only the newest of a name counts.
    func notify(_ name: String, _ data: [UInt8]) {
        state.withLock { state in
            state.noticeVersion += 1
            state.notices[name] = (state.noticeVersion, data)
        }
    }

    /// Sends what is new.
    func tick() {
        state.withLock { state in
            let now = SteadyClock.microseconds
            let views = state.views
            state.views = [:]
            let notices = state.notices.sorted { $0.value.version < $1.value.version }
            state.clients.removeAll { $0.stream.isClosed }
            guard !state.clients.isEmpty else { return }
            let events = views.values.compactMap(Self.event(of:))
            for index in state.clients.indices {
                var client = state.clients[index]
                var isSent = false
                if client.statusVersion != state.statusVersion,
                    client.stream.offer(Self.event(of: state.status))
                {
                    client.statusVersion = state.statusVersion
                    isSent = true
                }
                if client.version < state.version, state.head != nil {
                    let event = Self.head(state, after: client.version)
                    if client.stream.offer(event) {
                        client.version = state.version
                        isSent = true
                    }
                }
                for event in events where client.stream.offer(event) { isSent = true }
                // A page whose stream is full gets them later.
                for (name, notice) in notices where notice.version > client.noticeVersion {
                    let event = ServerSentEvents.event(name, data: notice.data)
                    guard client.stream.offer(event) else { break }
                    client.noticeVersion = notice.version
                    isSent = true
                }
                if !isSent, now - client.sent > Self.silence {
                    isSent = client.stream.offer(ServerSentEvents.comment)
                }
                if isSent { client.sent = now }
                state.clients[index] = client
            }
        }
    }

    /// Ends all events.
    func stop() {
        for client in state.withLock({ $0.clients }) { client.stream.finish() }
    }

    private static func head(_ state: State, after version: Int) -> [UInt8] {
        guard let shown = state.head else { return [] }
        let head = shown.head
        var json = JSONWriter()
        json.object { json in
            json.member("head", shown.number)
            json.member("count", head.count)
            if let last = head.last { json.member("last", last.microseconds) }
            json.key("unfinished")
            json.array { json in
                for exchange in state.unfinished { json.unfinished(exchange) }
            }
            json.key("changed")
            json.array { json in
                for change in state.changed where change.version > version && version >= 0 {
                    json.string(change.id.description)
                }
            }
        }
        let data = Array(copying: json.bytes)
        return ServerSentEvents.event("head", id: "\(shown.number)", data: data)
    }

    private static func event(of status: StoreStatus) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("state", status.state)
            if !status.message.isEmpty { json.member("message", status.message) }
            if !status.help.isEmpty { json.member("help", status.help) }
        }
        return ServerSentEvents.event("state", data: Array(copying: json.bytes))
    }

    private static func event(of view: ListView) -> [UInt8]? {
        guard let report = view.report else { return nil }
        var json = JSONWriter()
        json.object { json in
            json.member("view", view.id)
            json.member("total", report.total)
            json.key("progress")
            json.double(report.progress)
            json.member("complete", report.isComplete)
            if report.isCancelled { json.member("cancelled", true) }
        }
        return ServerSentEvents.event("view", data: Array(copying: json.bytes))
    }
}

extension JSONWriter {
    fileprivate mutating func unfinished(_ exchange: UnfinishedExchange) {
        object { json in
            json.member("id", exchange.id.description)
            json.member("source", exchange.source)
            json.member("started", exchange.started.microseconds)
            json.member("method", exchange.method)
            json.member("scheme", exchange.scheme)
            json.member("host", exchange.host)
            if let port = exchange.port { json.member("port", port) }
        }
    }
}
