// SPDX-License-Identifier: MIT

internal import CUV
internal import TaplineModel

/// The settings of the resolver; `nil` means the system's setting.
struct ResolverSettings: Sendable, Hashable {
    /// The file with servers and search domains.
    var file: String?
    /// The file with names and addresses of this machine.
    var hostsFile = "/etc/hosts"
    /// The servers with ports, in the syntax of c-ares.
    var servers: String?
    /// The timeout of the first try for each server; it doubles with each try.
    var firstTimeout = Microseconds(2_000_000)
    /// How often each server is queried.
    var tries = 3
}

/// Resolves hosts with c-ares.
///
/// Concurrent requests for one host share a lookup.
///
/// **Isolation**: the loop's thread.
final class Resolver {
    /// How many lookups have a channel of their own; further ones share a channel.
    private static let maxChannels = 64
    /// How many idle channels are kept for the next lookup.
    private static let idleChannels = 4

    private let loop: EventLoop
    private let settings: ResolverSettings
    private var cache: NameCache
    private var hosts: HostsFile
    private var running: [String: NameLookup] = [:]
    private var channels: [CAresChannel] = []
    /// The state of the system's settings that the channels have read.
    private var mark: [UInt64] = []

    init(on loop: EventLoop, _ options: ConnectorOptions) {
        self.loop = loop
        settings = options.resolver
        hosts = HostsFile(options.resolver.hostsFile)
        cache = NameCache(
            capacity: options.maxNames,
            lifetime: options.nameLifetime.count,
            failureLifetime: options.failureLifetime.count
        )
    }

    deinit { for channel in channels { channel.close() } }

    /// Resolves a host.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - done: Called once; at once if the result is known.
    /// - Returns: The request; `nil` if the result was known.
    func lookUp(_ host: String, _ done: @escaping (NameCache.Answer) -> Void) -> NameWaiter? {
        if let answer = answerWithoutLookup(host) {
            done(answer)
            return nil
        }
        let name = host.lowercased()
        if let answer = cache.answer(for: name, at: loop.now) {
            done(answer)
            return nil
        }
        if let addresses = hosts.addresses(of: name) {
            done(.success(addresses))
            return nil
        }
        let waiter = NameWaiter(done)
        if let lookup = running[name] {
            lookup.add(waiter)
            return waiter
        }
        do {
            let lookup = NameLookup(name, on: loop, try channel()) { [weak self] answer in
                self?.didLookUp(name, answer)
            }
            running[name] = lookup
            lookup.add(waiter)
            lookup.begin()
            return waiter
        } catch {
            done(.failure(error))
            return nil
        }
    }

    /// Returns the result if no lookup is needed: for addresses in any form that the system
    /// accepts, and for invalid names.
    private func answerWithoutLookup(_ host: String) -> NameCache.Answer? {
        if let ip = IPAddress(host) { return .success([SocketAddress(ip, port: 0)]) }
        guard Self.isName(host) else {
            return .failure(NetError(.dns, "cannot look up a host; its name is not valid"))
        }
        guard Self.mayBeNumber(host), let address = unsafe SocketAddress(tapline_uv_number(host))
        else { return nil }
        return .success([address])
    }

    private func didLookUp(_ name: String, _ answer: NameCache.Answer?) {
        running[name] = nil
        guard let answer else { return }
        if case .failure(let error) = answer, error.code != .dns { return }
        cache.keep(answer, for: name, at: loop.now)
    }

    /// Returns whether C reads the whole text, and a resolver could know it (RFC 1035 §2.3.4).
    private static func isName(_ host: String) -> Bool {
        1...255 ~= host.utf8.count && host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    /// Returns whether the host may be a number.
    ///
    /// That is IPv6 with a scope, or a last part that begins with a digit, which no top-level
    /// domain does (RFC 3696 §2).
    private static func mayBeNumber(_ host: String) -> Bool {
        if host.utf8.contains(.ascii(":")) { return true }
        let last = host.utf8.split(separator: .ascii(".")).last
        return last?.first.map { 0x30...0x39 ~= $0 } ?? false
    }

    // MARK: Channels

    /// Returns the channel for the next lookup: an idle one, if there is one.
    private func channel() throws(NetError) -> CAresChannel {
        guard !loop.isStopped else { throw NetError(.closed, "the event loop has ended") }
        dropOutdated()
        let least = channels.min { $0.load < $1.load }
        if let least, least.load == 0 || channels.count >= Self.maxChannels { return least }
        let made = try CAresChannel(on: loop, settings) { [weak self] in self?.becameIdle($0) }
        channels.append(made)
        return made
    }

    /// Replaces the channels if the settings file has changed, since a channel reads it only when
    /// it is opened.
    private func dropOutdated() {
        let mark = unsafe tapline_uv_file_mark(settings.file ?? "/etc/resolv.conf")
        let now = [mark.number, mark.size, mark.seconds, mark.nanoseconds]
        guard self.mark != now else { return }
        self.mark = now
        for channel in channels where channel.load == 0 { channel.close() }
        channels = []
    }

    private func becameIdle(_ channel: CAresChannel) {
        let isKept = channels.contains { $0 === channel }
        guard isKept else { return channel.close() }
        guard channels.count(where: { $0.load == 0 }) > Self.idleChannels else { return }
        channels.removeAll { $0 === channel }
        channel.close()
    }
}
