// SPDX-License-Identifier: MIT

internal import COpenSSL

/// The transport of OpenSSL instead of a socket: the buffers that a caller lends for one call.
///
/// Ciphertext is copied once in each direction, and an idle session holds no buffer.
///
/// It has a fixed address, which the BIO and the callbacks use.
@unsafe
struct TLSTransport {
    private var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    private var position = 0
    private var output: UnsafeMutablePointer<[UInt8]>?
    private var sentRecord = 0
    private var receivedRecord = 0

    /// The bytes on the wire, by kind.
    var counts = TLSByteCounts()
    private var bytesRead = 0
    private var releasedAt = 0
    /// The cache for the server's tickets, and the key in it; only on the client's side.
    var sessions: TLSSessionCache?
    var sessionKey = ""
    /// The peer's certificate, or the one in its chain, that is not valid.
    var rejected: RejectedCertificate?
    /// Whether the server requests a certificate, and none is configured for it.
    var isCertificateRequested = false
    /// The same for the handshake of the session that may be resumed.
    var wasCertificateRequested = false

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

    /// Takes the buffers back, and returns the position up to which the input was read.
    mutating func end() -> Int {
        unsafe input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        unsafe output = nil
        return unsafe position
    }

    /// Copies the next input for OpenSSL; returns 0 if there is none.
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

    /// Appends records from OpenSSL.
    func write(_ bytes: UnsafeRawBufferPointer) {
        unsafe output?.pointee.append(contentsOf: bytes)
    }

    /// Returns whether handshake messages have arrived since the last call, and no record is partly
    /// read.
    ///
    /// Then no buffer of OpenSSL holds data.
    mutating func isQuietAfterHandshake() -> Bool {
        let handshake = unsafe counts.handshakeReceived
        guard unsafe handshake != releasedAt,
            unsafe bytesRead == handshake &+ counts.applicationReceived
        else { return false }
        unsafe releasedAt = handshake
        return true
    }

    /// Counts a record of a type and size that was sent or received.
    ///
    /// With TLS 1.3 the outer type is always application data. The inner type is reported in a
    /// separate call.
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

    /// Counts the inner type of the last record, which TLS 1.3 protects (RFC 8446 §5.2).
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

// MARK: - Called by OpenSSL

/// The BIO method of all sessions of a context; freed after the last of them.
///
/// BIO_meth_new(3): immutable once it is made, so any thread may use it.
@safe
final class TLSTransportMethod: @unchecked Sendable {
    let method: OpaquePointer

    /// Makes the method; throws if there is no memory.
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

    /// Identifies this kind; OpenSSL's own numbers are between 1 and 127.
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

/// BIO_ctrl(3): OpenSSL requires only flushing.
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

/// SSL_CTX_set_msg_callback(3): counts each record.
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
