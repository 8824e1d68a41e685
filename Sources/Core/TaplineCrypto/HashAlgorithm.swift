// SPDX-License-Identifier: MIT

internal import CCrypto

/// The hash functions that scripts and formats select by name.
///
/// MD5 and SHA-1 are broken: they exist for old formats and protect nothing.
///
/// **Source.** RFC 1321, FIPS 180-4; RFC 2104 for authentication codes.
package enum HashAlgorithm: Int, CaseIterable, Sendable {
    /// MD5: 16 bytes.
    case md5
    /// SHA-1: 20 bytes.
    case sha1
    /// SHA-256: 32 bytes.
    case sha256
    /// SHA-384: 48 bytes.
    case sha384
    /// SHA-512: 64 bytes.
    case sha512

    /// Returns the hash of bytes.
    package func hash(_ bytes: Span<UInt8>) -> HashValue {
        switch self {
        case .md5: MD5.value(of: bytes)
        case .sha1: SHA1.value(of: bytes)
        case .sha256: SHA256.value(of: bytes)
        case .sha384: SHA384.value(of: bytes)
        case .sha512: SHA512.value(of: bytes)
        }
    }

    /// Returns the authentication code of a message under a key of any length.
    package func authenticate(_ message: Span<UInt8>, key: Span<UInt8>) -> HashValue {
        switch self {
        case .md5: HMAC<MD5>(key: key).authenticate(message)
        case .sha1: HMAC<SHA1>(key: key).authenticate(message)
        case .sha256: HMAC<SHA256>(key: key).authenticate(message)
        case .sha384: HMAC<SHA384>(key: key).authenticate(message)
        case .sha512: HMAC<SHA512>(key: key).authenticate(message)
        }
    }
}

/// A hash or an authentication code of any algorithm, held inline.
@usableFromInline package struct HashValue: Sendable {
    private var storage = InlineArray<64, UInt8>(repeating: 0)
    private let count: Int

    /// Makes a value from the first `count` bytes, which `write` writes.
    init(count: Int, _ write: (inout MutableSpan<UInt8>) -> Void) {
        self.count = count
        var span = storage.mutableSpan
        write(&span)
    }

    /// The bytes; their number depends on the algorithm.
    @usableFromInline package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { storage.span.extracting(0..<count) }
    }
}

extension Span where Element == UInt8 {
    /// Returns whether both hold the same bytes, in time that depends on their number alone.
    package func equalsInConstantTime(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
            }
        }
    }
}

/// A hash function whose state is a plain value, so that copies are independent.
protocol HashFunction: Sendable {
    /// The number of bytes in a block.
    static var blockSize: Int { get }
    static var byteCount: Int { get }

    init()
    mutating func update(_ bytes: Span<UInt8>)
    /// Writes the hash to the first `byteCount` bytes.
    mutating func finish(into output: inout MutableSpan<UInt8>)
}

extension HashFunction {
    static func value(of bytes: Span<UInt8>) -> HashValue {
        var function = Self()
        function.update(bytes)
        return function.value()
    }

    mutating func value() -> HashValue {
        HashValue(count: Self.byteCount) { finish(into: &$0) }
    }
}

extension SHA256: HashFunction {
    static var blockSize: Int { 64 }
    static var byteCount: Int { Digest.byteCount }

    mutating func finish(into output: inout MutableSpan<UInt8>) {
        let digest = finish()
        for index in 0..<Self.byteCount { output[index] = digest[index] }
    }
}

/// MD5 (RFC 1321).
struct MD5: HashFunction {
    static var blockSize: Int { 64 }
    static var byteCount: Int { 16 }
    private var state = MD5_CTX()

    init() { _ = unsafe MD5_Init(&state) }

    mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { raw in
            _ = unsafe MD5_Update(&state, raw.baseAddress, raw.count)
        }
    }

    mutating func finish(into output: inout MutableSpan<UInt8>) {
        unsafe output.withUnsafeMutableBufferPointer { buffer in
            _ = unsafe MD5_Final(buffer.baseAddress, &state)
        }
    }
}

/// SHA-1 (FIPS 180-4).
struct SHA1: HashFunction {
    static var blockSize: Int { 64 }
    static var byteCount: Int { 20 }
    private var state = SHA_CTX()

    init() { _ = unsafe SHA1_Init(&state) }

    mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { raw in
            _ = unsafe SHA1_Update(&state, raw.baseAddress, raw.count)
        }
    }

    mutating func finish(into output: inout MutableSpan<UInt8>) {
        unsafe output.withUnsafeMutableBufferPointer { buffer in
            _ = unsafe SHA1_Final(buffer.baseAddress, &state)
        }
    }
}

/// SHA-384 (FIPS 180-4).
struct SHA384: HashFunction {
    static var blockSize: Int { 128 }
    static var byteCount: Int { 48 }
    private var state = SHA512_CTX()

    init() { _ = unsafe SHA384_Init(&state) }

    mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { raw in
            _ = unsafe SHA384_Update(&state, raw.baseAddress, raw.count)
        }
    }

    mutating func finish(into output: inout MutableSpan<UInt8>) {
        unsafe output.withUnsafeMutableBufferPointer { buffer in
            _ = unsafe SHA384_Final(buffer.baseAddress, &state)
        }
    }
}

/// SHA-512 (FIPS 180-4).
struct SHA512: HashFunction {
    static var blockSize: Int { 128 }
    static var byteCount: Int { 64 }
    private var state = SHA512_CTX()

    init() { _ = unsafe SHA512_Init(&state) }

    mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { raw in
            _ = unsafe SHA512_Update(&state, raw.baseAddress, raw.count)
        }
    }

    mutating func finish(into output: inout MutableSpan<UInt8>) {
        unsafe output.withUnsafeMutableBufferPointer { buffer in
            _ = unsafe SHA512_Final(buffer.baseAddress, &state)
        }
    }
}
