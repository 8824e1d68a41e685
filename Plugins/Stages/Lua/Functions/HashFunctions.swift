// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineCrypto
internal import TaplineJSON

extension tapline_lua_functions {
    /// Sets the functions for hashes and authentication codes.
    mutating func setHashFunctions() {
        unsafe hash = { algorithm, value, form, room in
            guard let algorithm = HashAlgorithm(rawValue: Int(algorithm)) else { return 0 }
            let hash = unsafe algorithm.hash(value.buffer.span)
            return unsafe hash.write(form, to: room)
        }
        unsafe hash_with_key = { algorithm, key, value, form, room in
            guard let algorithm = HashAlgorithm(rawValue: Int(algorithm)) else { return 0 }
            let hash = unsafe algorithm.authenticate(value.buffer.span, key: key.buffer.span)
            return unsafe hash.write(form, to: room)
        }
        unsafe equal_in_constant_time = { left, right in
            unsafe left.buffer.span.equalsInConstantTime(right.buffer.span)
        }
    }
}

extension HashValue {
    /// Writes the bytes in the requested form.
    @unsafe
    fileprivate func write(_ form: Int32, to room: UnsafeMutablePointer<UInt8>?) -> Int {
        unsafe room?.write(upTo: Int(TAPLINE_LUA_HASH_BYTES)) { output in
            switch Int(form) {
            case Int(TAPLINE_LUA_RAW):
                for index in bytes.indices { output.append(bytes[index]) }
            case Int(TAPLINE_LUA_BASE64):
                Base64.encode(bytes, into: &output)
            case Int(TAPLINE_LUA_BASE64_URL):
                Base64.encode(bytes, .url, isPadded: false, into: &output)
            default:
                for index in bytes.indices {
                    output.append(Self.digit(bytes[index] >> 4))
                    output.append(Self.digit(bytes[index] & 15))
                }
            }
        } ?? 0
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
