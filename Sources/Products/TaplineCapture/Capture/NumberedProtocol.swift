// SPDX-License-Identifier: MIT

internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A number as a type, in binary, with the last digit outermost.
private protocol Digits { static var value: Int { get } }
private enum One: Digits { static var value: Int { 1 } }
private enum Zero<Rest: Digits>: Digits { static var value: Int { Rest.value * 2 } }
private enum OneAfter<Rest: Digits>: Digits { static var value: Int { Rest.value * 2 + 1 } }

/// The class of `URLSession.shared`.
///
/// Foundation asks registered classes for any session whose own classes accept none of its
/// requests.
final class SharedProtocol: CapturingProtocol {
    override class var number: Int { TapRegistry.shared }

    override class func captures(_ task: URLSessionTask) -> Bool {
        FoundationTask.session(of: task).map { $0 === URLSession.shared } ?? true
    }
}

/// The class of requests that a stage has changed: they are already captured, and guarded like
/// others.
final class SubstituteRequestProtocol: CapturingProtocol {
    override class var isWanted: Bool { true }
    override class func captures(_ task: URLSessionTask) -> Bool { false }
}

/// The class of one tap.
private final class NumberedProtocol<Number: Digits>: CapturingProtocol {
    override class var number: Int { Number.value }
}

extension CapturingProtocol {
    /// Returns the class for the tap with a positive number.
    ///
    /// Foundation creates protocol objects from a class alone, and sessions keep the class for
    /// their lifetime. Therefore no two taps of a process may share one, and the number of taps is
    /// not known in advance. The runtime creates the classes, from one type for each number.
    static func type(for number: Int) -> CapturingProtocol.Type {
        func numbered<Number: Digits>(_: Number.Type) -> CapturingProtocol.Type {
            NumberedProtocol<Number>.self
        }
        func appending<Rest: Digits>(_ bit: Int, to _: Rest.Type) -> any Digits.Type {
            bit == 0 ? Zero<Rest>.self : OneAfter<Rest>.self
        }
        precondition(number > 0, "a tap's number must be positive")
        var digits: any Digits.Type = One.self
        for place in (0..<(Int.bitWidth - 1 - number.leadingZeroBitCount)).reversed() {
            digits = appending(number >> place & 1, to: digits)
        }
        return numbered(digits)
    }
}
