// SPDX-License-Identifier: MIT

public import TaplineModel

/// An exchange in progress with its context, for sources that fill it piece by piece.
///
/// Its memory is managed manually for speed: a request through `proxy` takes 43,360 instructions
/// with it and 48,440 with a plain class that has both as properties (Tests/Benchmarks/README.md).
/// Each access to a class's property is checked for exclusivity, and a value can be moved out only
/// if another is moved in.
///
/// **Shape**: its owner lends both to the lane and moves them out when the exchange ends. Later
/// readers see an empty exchange.
///
/// **Isolation**: one thread at a time. While one of them is lent, it must not be used in any other
/// way, as with any `inout`; hooks have no access to it.
@safe
@frozen
@usableFromInline
package struct ExchangeBox: ~Copyable {
    @usableFromInline let heldExchange: UnsafeMutablePointer<Exchange>
    @usableFromInline let heldContext: UnsafeMutablePointer<ExchangeContext>
    /// Whether both values were moved out, so that their memory is uninitialized.
    @usableFromInline let areTaken: UnsafeMutablePointer<Bool>

    /// Holds an exchange that begins, with a new context or with the one in which it was opened.
    @inlinable
    package init(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext = ExchangeContext()
    ) {
        let (first, second) = (MemoryLayout<Exchange>.self, MemoryLayout<ExchangeContext>.self)
        // One block for all three values, the one with the largest alignment first.
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

    /// The exchange, accessed in place.
    @inlinable
    package var exchange: Exchange {
        unsafeAddress {
            refillIfTaken()
            return unsafe UnsafePointer(heldExchange)
        }
        nonmutating unsafeMutableAddress {
            refillIfTaken()
            return unsafe heldExchange
        }
    }

    /// The context, accessed in place.
    @inlinable
    package var context: ExchangeContext {
        unsafeAddress {
            refillIfTaken()
            return unsafe UnsafePointer(heldContext)
        }
        nonmutating unsafeMutableAddress {
            refillIfTaken()
            return unsafe heldContext
        }
    }

    /// Moves both values out when the exchange has ended.
    @inlinable
    package func take<Result>(
        _ body: (consuming Exchange, consuming ExchangeContext) -> Result
    ) -> Result {
        refillIfTaken()
        unsafe areTaken.pointee = true
        return unsafe body(heldExchange.move(), heldContext.move())
    }

    /// Initializes the memory with an empty exchange if the values were moved out.
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
