// SPDX-License-Identifier: MIT

/// A queue whose first element is removed in constant time.
package struct FIFO<Element> {
    /// The elements from `head` on; removed ones are `nil`, so that they hold no memory.
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    /// Creates an empty queue.
    @inlinable
    package init() {}

    /// The number of elements.
    @inlinable package var count: Int { elements.count - head }

    /// Whether there is no element.
    @inlinable package var isEmpty: Bool { head == elements.count }

    /// The first element; `nil` if there is none.
    @inlinable package var first: Element? { isEmpty ? nil : elements[head] }

    /// Adds an element at the end.
    @inlinable
    package mutating func append(_ element: Element) { elements.append(element) }

    /// Replaces the first element, if there is one.
    @inlinable
    package mutating func replaceFirst(_ element: Element) {
        if !isEmpty { elements[head] = element }
    }

    /// Removes and returns the first element; `nil` if there is none.
    @inlinable
    @discardableResult
    package mutating func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let first = elements[head].take()
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 4096)
            head = 0
        } else if head >= 1024, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    /// Removes and returns all elements.
    @inlinable
    package mutating func removeAll() -> [Element] {
        let rest = elements[head...].compactMap(\.self)
        elements = []
        head = 0
        return rest
    }
}
