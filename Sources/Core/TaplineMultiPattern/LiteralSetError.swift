// SPDX-License-Identifier: MIT

internal import CHyperscan

/// The reason why a set of literals cannot be compiled or scanned for.
package struct LiteralSetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The description of the problem.
    package let message: String

    /// The index of the literal that caused the error, or `nil` if no single literal did.
    package let index: Int?

    /// The message alone; a caller that knows the literal's location adds it.
    package var description: String { message }

    init(message: String, index: Int? = nil) {
        self.message = message
        self.index = index
    }

    /// Copies Hyperscan's error.
    @unsafe
    init(_ failure: UnsafeMutablePointer<hs_compile_error_t>?) {
        guard let failure = unsafe failure?.pointee, let text = unsafe failure.message else {
            self.init(message: "Hyperscan cannot compile the literals")
            return
        }
        // Negative if the error does not concern a single expression.
        let index = Int(unsafe failure.expression)
        self.init(message: unsafe String(cString: text), index: index < 0 ? nil : index)
    }
}
