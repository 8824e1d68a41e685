// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineJSON
internal import TaplineModel
internal import TaplineServe
internal import TaplineStore
internal import TaplineSystem

/// Sends events to the pages that listen.
///
/// What a page gets is the newest state, so a slow page skips what is between: what does not fit into
/// its stream is sent, as it is then, by a later tick. Events are sent by `tick`, ten times a second.
///
/// **Isolation**: any thread.
final class EventHub: Sendable {
    private struct Client {
        let stream: ResponseStream
        /// The version of the state that was sent last.
        var version = -1
        /// The version of the stores' state that was sent last.
        var statusVersion = 0
        /// The version of the lists that were sent last.
        var viewVersion: Int
        /// The version of the notices that were sent last.
        var noticeVersion: Int
        /// When something was sent last, in microseconds of the steady clock.
        var sent: Int64
    }

    private struct ChangedView {
        let version: Int
        /// `nil` once nobody can ask for the list any more.
        weak var view: ListView?
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
        /// The lists that have changed, by their names, kept until every page has received them.
        var views: [String: ChangedView] = [:]
        var viewVersion = 0
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
                    viewVersion: state.viewVersion,
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

    /// Notes the state of the stores.
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

    func noteChange(of view: ListView) {
        state.withLock { state in
            state.viewVersion += 1
            state.views[view.id] = ChangedView(version: state.viewVersion, view: view)
        }
    }

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
            state.clients.removeAll { $0.stream.isClosed }
            let views = Self.views(state)
            let notices = Self.notices(state)
            let now = SteadyClock.microseconds
            for index in state.clients.indices {
                var client = state.clients[index]
                var isSent = Self.send(state, to: &client)
                isSent = Self.send(views, to: client.stream, after: &client.viewVersion) || isSent
                isSent =
                    Self.send(notices, to: client.stream, after: &client.noticeVersion) || isSent
                if !isSent, now - client.sent > Self.silence {
                    isSent = client.stream.offer(ServerSentEvents.comment)
                }
                if isSent { client.sent = now }
                state.clients[index] = client
            }
            let known = state.clients.map(\.viewVersion).min() ?? .max
            state.views = state.views.filter {
                $0.value.version > known && $0.value.view != nil
            }
        }
    }

    /// Sends the state and the head of the stores; returns whether it did.
    private static func send(_ state: State, to client: inout Client) -> Bool {
        var isSent = false
        if client.statusVersion != state.statusVersion,
            client.stream.offer(event(of: state.status))
        {
            client.statusVersion = state.statusVersion
            isSent = true
        }
        if client.version < state.version, state.head != nil,
            client.stream.offer(head(state, after: client.version))
        {
            client.version = state.version
            isSent = true
        }
        return isSent
    }

    /// Sends the events after a version, in order, as far as they fit; returns whether it sent any.
    private static func send(
        _ events: [(version: Int, bytes: [UInt8])],
        to stream: ResponseStream,
        after version: inout Int
    ) -> Bool {
        let first = version
        for event in events where event.version > version {
            guard stream.offer(event.bytes) else { break }
            version = event.version
        }
        return version != first
    }

    /// Events of the lists that some page has not received.
    private static func views(_ state: State) -> [(version: Int, bytes: [UInt8])] {
        let known = state.clients.map(\.viewVersion).min() ?? .max
        return state.views.values.filter { $0.version > known }
            .sorted { $0.version < $1.version }
            .compactMap { change in
                change.view.flatMap(event(of:)).map { (change.version, $0) }
            }
    }

    /// The notices that not all pages have got.
    private static func notices(_ state: State) -> [(version: Int, bytes: [UInt8])] {
        let known = state.clients.map(\.noticeVersion).min() ?? .max
        return state.notices.filter { $0.value.version > known }
            .sorted { $0.value.version < $1.value.version }
            .map { ($0.value.version, ServerSentEvents.event($0.key, data: $0.value.data)) }
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
