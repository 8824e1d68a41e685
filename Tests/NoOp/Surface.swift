// SPDX-License-Identifier: MIT

// Code as apps contain it: it must compile with and without capture.

import Foundation
import FoundationNetworking
import Tapline
import TaplineDetectors

func startsAndStops(file: URL) throws {
    if try !Tapline.start() { print("already running") }
    try Tapline.start(configuration: file)
    try Tapline.start(configuration: file, plugins: .detectors)
    try Tapline.start {
        Component.redact(headers: ["X-Key"], json: ["$.card"], action: .remove).id("clean")
        Component.redact(
            preset: .none,
            query: [.init("id", action: .hash)],
            detectors: .named(["jwt"]),
            patterns: [.init(name: "badge", regex: "B[0-9]+", group: 0)],
            keyEnv: "KEY"
        )
        Component.lua(code: "return {}", buffer: [.request])
        if Tapline.isRunning { Component.limitBody(maxBytes: 1024) } else { Component.terminal }
        for name in ["a", "b"] { Component.ndjson(name).when("status >= 400") }
        Component.sqlite("traffic.db", retention: .init(age: .seconds(60)), indexes: ["host"])
        Component.lua(
            script: "a.lua",
            config: ["a": [1, 2.5, true, "b"]],
            limits: .init(maxLog: 5)
        )
        .buffer([.response], maxBuffer: 1024).onError(.respond)
        Component.rules("rules.yaml")
        Component.correlate(["traceparent", .init(header: "X-ID", decode: [.hex], parts: ["a"])])
        Component.stdout(format: .compact, stream: .stderr).queue(overflow: .dropOldest).retry()
        Component.ndjson("c", rotate: .init(size: 4096, compress: .gzip), sync: true)
        Component.summary("sums.ndjson", every: .seconds(5))
        Component.urlProtocol(shared: false, captureMaxBytes: 1024).id("app").when("host exists")
        Component.runtime(memory: 64 << 20, drainTimeout: .seconds(5))
    }
    try Tapline.start(Tap())
    Tapline.clear()
    Tapline.stop()
}

func reloads(file: URL, tap: Tap) async throws {
    if let reload = try await Tapline.reload() { print(reload.generation, reload.changed) }
    try await Tapline.reload(configuration: file)
    try await Tapline.reload { Component.terminal }
    try await tap.reload()
    try await tap.reload(configuration: file)
    try await tap.reload(configuration: file, plugins: .detectors)
    try await tap.reload { Component.redact() }
}

func makesTaps(file: URL) throws -> Bool {
    let tap = Tap(
        limits: .init(entries: 500, bytes: 16 << 20, age: .seconds(3600)),
        log: .standardError
    )
    let other = Tap(configuration: file, limits: MemoryStore.Limits(), log: .none)
    do {
        try tap.start()
    } catch let error as TapError {
        print(error.description)
    }
    defer { tap.stop() }
    let log = Log(component: "shop") { entry in
        if entry.level >= .warning { print(entry.level.name, entry.component, entry.message) }
    }
    log.warning("a warning of the app's own")
    try Tap(log: log) { Component.terminal }.start()
    Tapline.flush()
    tap.store.clear()
    return tap.flush(for: .seconds(1)) && other.flush() && tap.isRunning
}

func waits(for tap: Tap) async -> Bool {
    await Tapline.flush()
    return await tap.flush(for: .seconds(1))
}

func makesSessions(tap: Tap, url: URL, delegate: any URLSessionDelegate) async throws -> Data {
    let session = URLSession(configuration: .default.tapped())
    let other = URLSession(configuration: .ephemeral.tapped(by: tap))
    let whole = TapSession()
    let third = TapSession(
        configuration: .default,
        delegate: delegate,
        delegateQueue: nil,
        tap: tap
    )
    whole.dataTask(with: url) { _, response, error in print(response as Any, error as Any) }
        .resume()
    third.uploadTask(with: URLRequest(url: url), from: Data()).resume()
    third.session.finishTasksAndInvalidate()
    _ = try await other.data(from: url)
    _ = try await whole.upload(for: URLRequest(url: url), from: Data())
    _ = try await whole.download(from: url)
    whole.invalidateAndCancel()
    return try await session.data(from: url).0 + whole.data(for: URLRequest(url: url)).0
}

/// The interface that both sessions share in the app.
protocol Fetching: Sendable {
    func fetch(_ url: URL) async throws -> Data
}

extension URLSession: Fetching {
    func fetch(_ url: URL) async throws -> Data { try await data(from: url).0 }
}

extension TapSession: Fetching {
    func fetch(_ url: URL) async throws -> Data { try await data(from: url).0 }
    var name: String { sessionDescription ?? "\(configuration)" }
}

func describes(_ session: URLSession) -> String { session.sessionDescription ?? "" }
func describes(_ session: TapSession) -> String { session.name + describes(session.session) }

func readsEntries(tap: Tap) throws -> [String] {
    print(tap.metrics.components.map { "\($0.id): \($0.received)" }, Tapline.metrics.peakMemory)
    let failed = try tap.entries(where: "status >= 500 or duration > 1s")
    return failed.flatMap { entry -> [String?] in
        let fields = entry.requestHeaders.map { "\($0.name): \($0.value)" }
        let type = entry.exchange?.response?.fields.first("Content-Type")?.description
        let isGet = entry.exchange?.request.method == "GET"
        return fields + [
            entry.method, entry.url, entry.curl, entry.har, entry.exportText, entry.copyText, type,
            entry.formattedDuration, entry.prettyPrintedRequestBody, entry.error?.code,
            entry.prettyPrintedResponseBody, "\(isGet) \(entry.id)", entry.record?.exchange.source,
            entry.state == .failed ? "\(entry.startTime)" : entry.exchange?.tags["rule"],
        ]
    }.compactMap(\.self)
}

func explains(tap: Tap) -> String {
    do {
        guard let entry = try tap.entries(where: "status exists").first else { return "none" }
        switch entry.state {
        case .loading: return "on its way"
        case .success: return "\(entry.startTime) \(entry.started.date.year)"
        case .failed: return entry.error?.message ?? ""
        case .cancelled: return "cancelled"
        }
    } catch let error as EntryFilterError {
        return error.description
    } catch {
        return "\(error)"
    }
}

func readsEvents(tap: Tap) async -> Int {
    var count = 0
    for await event in tap.exchanges {
        switch event {
        case .began(let exchange): count += describes(exchange).count
        case .ended(let record): count += record.exchange.response?.status ?? 0
        case .missed(let missed): count += missed
        }
    }
    return count
}

func describes(_ exchange: ActiveExchange) -> String {
    "-> \(exchange.method) \(exchange.host)\(exchange.port ?? 80)"
}

func compares(_ exchange: Exchange, since start: Duration, id: String) -> Bool {
    let total = exchange.timing.total ?? Microseconds(0)
    let isLong = total > start && start < total && Duration(total) != start
    let isOurs = exchange.request.host == ByteString("shop.test") && exchange.id == ExchangeID(id)
    return isLong && isOurs && exchange.tags.indices.contains { exchange.tags[$0].name == "rule" }
        && exchange.started > Timestamp(microseconds: 0)
        && exchange.response?.fields.mediaType == "text/html"
}

func takes(_ record: Record, _ exchange: Exchange, _ response: Response?) -> Int {
    record.memory + (exchange.bytes?.up.total ?? 0) + (response?.body.bytes.count ?? 0)
}

func sumsUp(tap: Tap) {
    for row in tap.summary().rows {
        print(
            "\(row.host)\(row.path): \(row.requests) \(row.errors) \(row.bytesUp) \(row.bytesDown)"
        )
        print(row.latency(0.99) ?? .zero)
    }
}
