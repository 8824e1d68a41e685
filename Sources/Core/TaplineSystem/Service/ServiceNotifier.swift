// SPDX-License-Identifier: MIT

internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Notifies the service manager of the state of this process.
///
/// Speaks the protocol of sd_notify(3) without libsystemd: each notice is one datagram.
///
/// **Isolation**: any thread; notices are sent in the order of the events.
package final class ServiceNotifier: Sendable {
    private let machine = Mutex(ServiceStateMachine())
    private let send: @Sendable (String) -> Void

    /// Creates a notifier that sends through a closure, which is called with one notice at a time.
    package init(sending send: @escaping @Sendable (String) -> Void) {
        self.send = send
    }

    /// Creates a notifier for the socket at an address: a path, or `@` and an abstract name.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - failed: Called with the reason for each notice that cannot be sent.
    package convenience init(
        to address: String,
        failed: @escaping @Sendable (String) -> Void
    ) {
        self.init { text in
            do throws(FileError) {
                try DatagramSocket.send(text, to: address)
            } catch {
                failed("\(error)")
            }
        }
    }

    /// All sources listen and all sinks are open.
    package func becameReady(_ status: String) {
        machine.withLock { notify($0.becameReady(status)) }
    }

    /// A reload has begun.
    package func reloadBegan() {
        machine.withLock {
            notify($0.reloadBegan(at: MonotonicClock.microseconds, "reloading"))
        }
    }

    /// A reload has ended; the status gives its result.
    package func reloadEnded(_ status: String) {
        machine.withLock { notify($0.reloadEnded(status)) }
    }

    /// The process has begun to end.
    package func stopBegan(_ status: String) {
        machine.withLock { notify($0.stopBegan(status)) }
    }

    /// The threads of the process have proved that they run; without effect before it is ready.
    package func provedAlive() {
        machine.withLock { notify($0.provedAlive()) }
    }

    /// Sends a notice, with the lock held, so that notices keep the order of events.
    private func notify(_ notice: String?) {
        if let notice { send(notice) }
    }
}

/// The clock of `MONOTONIC_USEC`, which stops while the machine sleeps.
private enum MonotonicClock {
    static var microseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

/// A datagram socket that sends to another one on this machine (unix(7)).
enum DatagramSocket {
    /// Sends one datagram; an address that begins with `@` is abstract.
    static func send(_ text: String, to address: String) throws(FileError) {
        #if canImport(Darwin)
        throw FileError("notify", address, code: ENOTSUP)
        #else
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        var name = Array(address.utf8)
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        let capacity = MemoryLayout.size(ofValue: target.sun_path)
        guard !name.isEmpty, name.count < capacity else {
            throw FileError("notify", address, code: ENAMETOOLONG)
        }
        unsafe withUnsafeMutableBytes(of: &target.sun_path) { path in
            for (position, byte) in name.enumerated() { unsafe path[position] = byte }
        }
        // The length counts, since an abstract name has no terminating zero.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw FileError.last("notify", address) }
        defer { close(descriptor) }
        let connected = unsafe withUnsafePointer(to: &target) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe connect(descriptor, generic, length)
            }
        }
        guard connected == 0 else { throw FileError.last("notify", address) }
        let bytes = Array(text.utf8)
        guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else {
            throw FileError.last("notify", address)
        }
        #endif
    }
}
