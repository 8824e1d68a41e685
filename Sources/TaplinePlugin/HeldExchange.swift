// SPDX-License-Identifier: MIT

public import TaplineModel

/// An exchange under way with its context, as a source holds them that learns of it piece by piece.
///
/// In memory of their own, since what a class keeps itself and lends to a lane is checked for
/// exclusive access at each use, which takes 90 instructions, and cannot be handed on at the end
/// without a copy.
///
/// **Shape**: whoever holds it lends both to the lane, and takes them out when the exchange ends.
/// What is looked at after that is an empty exchange.
///
/// **Isolation**: one thread at a time. While one of them is lent it must not be used in another
/// way, as with any `inout`; hooks have none.
@safe
@frozen
public struct HeldExchange: ~Copyable {
    @usableFromInline let heldExchange: UnsafeMutablePointer<Exchange>
    @usableFromInline let heldContext: UnsafeMutablePointer<ExchangeContext>
    /// Whether there is nothing in their memory, since they were taken.
    @usableFromInline let areTaken: UnsafeMutablePointer<Bool>

    /// Holds an exchange that begins, in a new context or in that in which it was opened.
    @inlinable
    public init(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext = ExchangeContext()
    ) {
        let (first, second) = (MemoryLayout<Exchange>.self, MemoryLayout<ExchangeContext>.self)
        // One block for all of them, the most aligned one first.
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: first.stride + second.stride + 1,
            alignment: first.alignment
        )
        unsafe heldExchange = memory.initializeMemory(as: Exchange.self, to: exchange)
        unsafe heldContext = (memory + first.stride)
            .initializeMemory(as: ExchangeContext.self, to: context)
        unsafe areTaken = (memory + first.stride + second.stride)
            .initializeMemory(as: Bool.self, to: false)
    }

    @inlinable
    deinit {
        if unsafe !areTaken.pointee {
            unsafe heldExchange.deinitialize(count: 1)
            unsafe heldContext.deinitialize(count: 1)
        }
        unsafe UnsafeMutableRawPointer(heldExchange).deallocate()
    }

    /// The exchange, where it lies.
    @inlinable
    public var exchange: Exchange {
        unsafeAddress {
            refillIfTaken()
            return unsafe UnsafePointer(heldExchange)
        }
        nonmutating unsafeMutableAddress {
            refillIfTaken()
            return unsafe heldExchange
        }
    }

    /// The context, where it lies.
    @inlinable
    public var context: ExchangeContext {
        unsafeAddress {
            refillIfTaken()
            return unsafe UnsafePointer(heldContext)
        }
        nonmutating unsafeMutableAddress {
            refillIfTaken()
            return unsafe heldContext
        }
    }

    /// Moves both out to somebody, when the exchange has ended.
    @inlinable
    public func take<Result>(
        _ body: (consuming Exchange, consuming ExchangeContext) -> Result
    ) -> Result {
        refillIfTaken()
        unsafe areTaken.pointee = true
        return unsafe body(heldExchange.move(), heldContext.move())
    }

    /// Puts something into the memory from which all was moved out.
    @inlinable
    @inline(__always)
    func refillIfTaken() {
        if unsafe areTaken.pointee { refill() }
    }

    @usableFromInline
    @inline(never)
    func refill() {
        unsafe heldExchange.initialize(to: Exchange(id: ExchangeID(high: 0, low: 0)))
        unsafe heldContext.initialize(to: ExchangeContext())
        unsafe areTaken.pointee = false
    }
}
