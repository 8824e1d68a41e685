// SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import Synchronization
import TaplineNet

/// A name server on loopback that answers as a test specifies (RFC 1035 §4), and records its
/// queries.
final class DNSServer: Sendable {
    enum Reply: Sendable {
        /// These addresses, of the family that the query asks for.
        case addresses([String])
        /// The same after a number of milliseconds.
        case late(Int, [String])
        /// A response code: 2 for SERVFAIL, 3 for NXDOMAIN, 5 for REFUSED.
        case code(UInt8)
        case silence
    }

    let port: UInt16
    /// Its address in the syntax of c-ares.
    let text: String
    private let descriptor: Int32
    private let asked = Mutex<[String]>([])
    private let isOver = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    init(isV6: Bool = false, _ reply: @escaping @Sendable (String) -> Reply) throws {
        descriptor = socket(isV6 ? AF_INET6 : AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var storage = sockaddr_storage()
        var length = socklen_t(
            isV6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        )
        let descriptor = descriptor
        let bound = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            if isV6 {
                unsafe storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    unsafe $0.pointee.sin6_family = sa_family_t(AF_INET6)
                    unsafe $0.pointee.sin6_addr = in6addr_loopback
                }
            } else {
                unsafe storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    unsafe $0.pointee.sin_family = sa_family_t(AF_INET)
                    unsafe $0.pointee.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                }
            }
            return unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, length) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard bound else { throw NetError(.system, "cannot bind a name server") }
        port = unsafe withUnsafePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
        text = isV6 ? "[::1]:\(port)" : "127.0.0.1:\(port)"
        var limit = timeval(tv_sec: 0, tv_usec: 50_000)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        DispatchQueue(label: "name server").async { [self] in serve(reply) }
    }

    /// The names that were queried, with their types, in order.
    var questions: [String] { asked.withLock { $0 } }

    func stop() {
        isOver.store(true, ordering: .relaxed)
        ended.wait()
        close(descriptor)
    }

    private func serve(_ reply: @Sendable (String) -> Reply) {
        defer { ended.signal() }
        var query = [UInt8](repeating: 0, count: 1024)
        while !isOver.load(ordering: .relaxed) {
            var peer = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let count = unsafe withUnsafeMutablePointer(to: &peer) { peer in
                unsafe peer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe recvfrom(descriptor, &query, query.count, 0, $0, &length)
                }
            }
            guard count > 12, let (name, type, end) = question(Array(query[..<count])) else {
                continue
            }
            asked.withLock { $0.append("\(name) \(type == 28 ? "AAAA" : "A")") }
            let head = Array(query[..<end])
            switch reply(name) {
            case .silence: break
            case .code(let code): send(answer(head, code, []), to: peer, length)
            case .addresses(let texts):
                send(answer(head, 0, records(texts, type)), to: peer, length)
            case .late(let milliseconds, let texts):
                let bytes = answer(head, 0, records(texts, type))
                let when = DispatchTime.now() + .milliseconds(milliseconds)
                DispatchQueue.global().asyncAfter(deadline: when) { [peer, length] in
                    self.send(bytes, to: peer, length)
                }
            }
        }
    }

    private func send(_ bytes: [UInt8], to peer: sockaddr_storage, _ length: socklen_t) {
        guard !isOver.load(ordering: .relaxed) else { return }
        var peer = peer
        _ = unsafe withUnsafeMutablePointer(to: &peer) { peer in
            unsafe peer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(descriptor, bytes, bytes.count, 0, $0, length)
            }
        }
    }

    /// Returns the name and the type of a query, and the end of its question.
    private func question(_ query: [UInt8]) -> (name: String, type: Int, end: Int)? {
        var labels: [String] = []
        var at = 12
        while at < query.count, query[at] > 0 {
            let end = at + 1 + Int(query[at])
            guard end < query.count else { return nil }
            labels.append(String(decoding: query[(at + 1)..<end], as: UTF8.self))
            at = end
        }
        guard at + 5 <= query.count else { return nil }
        let type = Int(query[at + 1]) << 8 | Int(query[at + 2])
        return (labels.joined(separator: ".").lowercased(), type, at + 5)
    }

    /// Returns the addresses of the family that a type asks for, as bytes.
    private func records(_ texts: [String], _ type: Int) -> [[UInt8]] {
        texts.compactMap { IPAddress($0) }.filter { $0.isV4 == (type == 1) }.map { address in
            let bytes = [address.high, address.low].flatMap { half in
                stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) }
            }
            return address.isV4 ? Array(bytes.suffix(4)) : bytes
        }
    }

    private func answer(_ head: [UInt8], _ code: UInt8, _ records: [[UInt8]]) -> [UInt8] {
        var bytes = head
        // A response, recursion desired and available; one question, and the number of answers.
        bytes.replaceSubrange(
            2..<12,
            with: [0x81, 0x80 | code, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0]
        )
        for record in records {
            // The name of the question, type, class IN, an hour.
            bytes += [0xC0, 12, 0, record.count == 4 ? 1 : 28, 0, 1, 0, 0, 0x0E, 0x10]
            bytes += [0, UInt8(record.count)] + record
        }
        return bytes
    }
}
