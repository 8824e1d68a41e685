// SPDX-License-Identifier: MIT

internal import COpenSSL

/// What OpenSSL reads from and writes to, in the place of a socket: the buffers that a caller lends
/// for one call, so that ciphertext is copied once in each direction and an idle session holds none.
///
/// It lives at one address, which the BIO and the callbacks know.
@unsafe
struct TLSTransport {
    private var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    private var position = 0
    private var output: UnsafeMutablePointer<[UInt8]>?
    private var sentRecord = 0
    private var receivedRecord = 0

    /// What went over the wire, by kind.
    var counts = TLSByteCounts()
    private var bytesRead = 0
    private var releasedAt = 0
    /// Where tickets of the server go, and under which name; the client's side alone.
    var sessions: TLSSessionCache?
    var sessionKey = ""
    /// The certificate of the peer's that is not valid, or rests on one that is not.
    var rejected: RejectedCertificate?

    /// Lends the buffers for one call.
    mutating func begin(
        _ input: UnsafeRawBufferPointer,
        from position: Int,
        output: UnsafeMutablePointer<[UInt8]>
    ) {
        unsafe self.input = input
        unsafe self.position = min(max(position, 0), input.count)
        unsafe self.output = output
    }

    /// Takes them back; returns up to where the input was read.
    mutating func end() -> Int {
        unsafe input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        unsafe output = nil
        return unsafe position
    }

    /// Hands OpenSSL what comes next; nothing where there is no more.
    mutating func read(into buffer: UnsafeMutableRawPointer, _ capacity: Int) -> Int {
        let count = unsafe min(capacity, input.count - position)
        guard count > 0, let start = unsafe input.baseAddress else { return 0 }
        unsafe buffer.copyMemory(from: start + position, byteCount: count)
        unsafe position += count
        unsafe bytesRead &+= count
        return count
    }

    /// Whether OpenSSL has taken all of the input.
    var isRead: Bool { unsafe position == input.count }

    /// Takes records from OpenSSL.
    func write(_ bytes: UnsafeRawBufferPointer) {
        unsafe output?.pointee.append(contentsOf: bytes)
    }

    /// Whether messages of the handshake have come since this was asked last, and no record is half
    /// read; then no buffer of OpenSSL's holds anything.
    mutating func isQuietAfterHandshake() -> Bool {
        let handshake = unsafe counts.handshakeReceived
        guard unsafe handshake != releasedAt,
            unsafe bytesRead == handshake &+ counts.applicationReceived
        else { return false }
        unsafe releasedAt = handshake
        return true
    }

    /// A record of a type and size has been sent or received.
    ///
    /// With TLS 1.3 the type on the outside is that of application data, whatever is inside; that
    /// comes in a call of its own.
    mutating func count(record type: UInt8, _ size: Int, isSent: Bool) {
        let isApplication = type == UInt8(SSL3_RT_APPLICATION_DATA)
        if isSent {
            unsafe sentRecord = size
            if isApplication {
                unsafe counts.applicationSent &+= size
            } else {
                unsafe counts.handshakeSent &+= size
            }
        } else {
            unsafe receivedRecord = size
            if isApplication {
                unsafe counts.applicationReceived &+= size
            } else {
                unsafe counts.handshakeReceived &+= size
            }
        }
    }

    /// What the last record, protected by TLS 1.3, has inside (RFC 8446 §5.2).
    mutating func count(innerType type: UInt8, isSent: Bool) {
        guard type != UInt8(SSL3_RT_APPLICATION_DATA) else { return }
        if isSent {
            unsafe counts.applicationSent &-= sentRecord
            unsafe counts.handshakeSent &+= sentRecord
        } else {
            unsafe counts.applicationReceived &-= receivedRecord
            unsafe counts.handshakeReceived &+= receivedRecord
        }
    }
}

// MARK: - What OpenSSL calls

/// The kind of BIO that all sessions of a context use; freed after the last of them.
///
/// BIO_meth_new(3): immutable once it is made, hence good for any number of threads.
@safe
final class TLSTransportMethod: @unchecked Sendable {
    let method: OpaquePointer

    /// Makes it; an error where there is no memory.
    init() throws(TLSError) {
        guard
            let method = unsafe BIO_meth_new(
                Int32(BIO_TYPE_SOURCE_SINK) | Self.number,
                "tapline"
            )
        else { throw TLSContext.failure("transport") }
        unsafe self.method = unsafe method
        unsafe BIO_meth_set_read_ex(method, readTransport)
        unsafe BIO_meth_set_write_ex(method, writeTransport)
        unsafe BIO_meth_set_ctrl(method, controlTransport)
    }

    deinit { unsafe BIO_meth_free(method) }

    /// Tells this kind from OpenSSL's own, whose numbers begin at 1 and end before 128.
    private static let number: Int32 = 0x7e
}

/// BIO_read_ex(3).
private func readTransport(
    _ bio: OpaquePointer?,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe tapline_bio_clear_retry(bio)
    guard let transport = unsafe transport(of: bio), let buffer = unsafe buffer else { return 0 }
    let read = unsafe transport.pointee.read(into: buffer, capacity)
    unsafe count?.pointee = read
    if read == 0 { unsafe tapline_bio_ask_again(bio) }
    return read == 0 ? 0 : 1
}

/// BIO_write_ex(3).
private func writeTransport(
    _ bio: OpaquePointer?,
    _ bytes: UnsafePointer<CChar>?,
    _ size: Int,
    _ count: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe tapline_bio_clear_retry(bio)
    guard let transport = unsafe transport(of: bio) else { return 0 }
    unsafe transport.pointee.write(UnsafeRawBufferPointer(start: bytes, count: size))
    unsafe count?.pointee = size
    return 1
}

/// BIO_ctrl(3): flushing is all that OpenSSL insists on.
private func controlTransport(
    _ bio: OpaquePointer?,
    _ command: Int32,
    _ number: Int,
    _ argument: UnsafeMutableRawPointer?
) -> Int {
    command == BIO_CTRL_FLUSH ? 1 : 0
}

@unsafe
private func transport(of bio: OpaquePointer?) -> UnsafeMutablePointer<TLSTransport>? {
    unsafe BIO_get_data(bio)?.assumingMemoryBound(to: TLSTransport.self)
}

/// SSL_CTX_set_msg_callback(3): told of each record, counts it.
func countRecord(
    _ isSent: Int32,
    _ version: Int32,
    _ contentType: Int32,
    _ bytes: UnsafeRawPointer?,
    _ count: Int,
    _ ssl: OpaquePointer?,
    _ argument: UnsafeMutableRawPointer?
) {
    guard let bytes = unsafe bytes,
        let transport = unsafe argument?.assumingMemoryBound(to: TLSTransport.self)
    else { return }
    let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    switch contentType {
    case SSL3_RT_HEADER where count >= 5:
        let length = unsafe Int(buffer[3]) << 8 | Int(buffer[4])
        unsafe transport.pointee.count(record: buffer[0], 5 + length, isSent: isSent != 0)
    case SSL3_RT_INNER_CONTENT_TYPE where count >= 1:
        unsafe transport.pointee.count(innerType: buffer[0], isSent: isSent != 0)
    default: return
    }
}
