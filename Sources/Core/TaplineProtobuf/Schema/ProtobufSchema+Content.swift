// SPDX-License-Identifier: MIT

internal import TaplineModel

extension ProtobufSchema {
    /// Returns the type of the messages in a body.
    ///
    /// This is the type of the method at the end of the path, as gRPC and similar protocols write
    /// it: `/shop.v1.Orders/Get`. If the path names no known method, it is the type that a parameter
    /// of the content type names: `application/x-protobuf; messageType="shop.v1.Order"`, also
    /// `proto=`. The parameter never overrides the method, since the sender of a message could hide
    /// its fields under the names of another type.
    ///
    /// - Parameters:
    ///   - contentType: The value of Content-Type.
    ///   - target: The request target.
    ///   - isRequest: Whether the body is the request's.
    /// - Returns: The index of the type; `nil` if it is unknown.
    package func messageType(
        contentType: Span<UInt8>,
        target: Span<UInt8>,
        isRequest: Bool
    ) -> Int? {
        if let method = method(at: target) { return isRequest ? method.input : method.output }
        for name in ["messagetype", "proto"] {
            if let type = Self.parameter(name, of: contentType), let index = message(named: type) {
                return index
            }
        }
        return nil
    }

    /// Returns the method that the path of a request target ends with.
    private func method(at target: Span<UInt8>) -> ProtobufMethod? {
        let end = target.firstIndex(of: .ascii("?")) ?? target.count
        let path = target.extracting(0..<end)
        guard let parts = GRPCCall.parts(path) else { return nil }
        let call = path.extracting(parts.service.lowerBound..<parts.method.upperBound)
        return methods["/" + String(decoding: Array(copying: call), as: UTF8.self)]
    }

    /// Returns the value of a parameter, without quotation marks.
    private static func parameter(_ name: String, of contentType: Span<UInt8>) -> String? {
        var start = contentType.firstIndex(of: .ascii(";")) ?? contentType.count
        while start < contentType.count {
            let end = contentType.firstIndex(of: .ascii(";"), from: start + 1) ?? contentType.count
            let part = contentType.extracting(contentType.trimmed(start + 1..<end))
            start = end
            guard let equals = part.firstIndex(of: .ascii("=")),
                part.extracting(0..<equals).equalsIgnoringCase(name)
            else { continue }
            let value = part.extracting(equals + 1..<part.count)
            let text = String(decoding: Array(copying: value), as: UTF8.self)
            return text.filter { $0 != "\"" }
        }
        return nil
    }
}
