// SPDX-License-Identifier: MIT

internal import CHyperscan

/// Why literals cannot be looked for.
public struct LiteralSetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let message: String

    /// Which literal is at fault, where it is one of them.
    public let index: Int?

    /// The message alone: a caller that knows where the literal stands adds that.
    public var description: String { message }

    init(message: String, index: Int? = nil) {
        self.message = message
        self.index = index
    }

    /// Copies what Hyperscan reported.
    @unsafe
    init(_ failure: UnsafeMutablePointer<hs_compile_error_t>?) {
        guard let failure = unsafe failure?.pointee, let text = unsafe failure.message else {
            self.init(message: "Hyperscan cannot compile the literals")
            return
        }
        // Negative where it is no single expression.
        let index = Int(unsafe failure.expression)
        self.init(message: unsafe String(cString: text), index: index < 0 ? nil : index)
    }
}
