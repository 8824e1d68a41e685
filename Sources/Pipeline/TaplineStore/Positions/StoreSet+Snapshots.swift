// SPDX-License-Identifier: MIT

extension StoreSet {
    /// Lets the next reads of databases share a transaction, until `releaseSnapshots`.
    ///
    /// For many small reads in a short time. They do not see what others write in the meantime. A read
    /// that fails ends it.
    ///
    /// - Throws: `StoreError` if a database cannot be read.
    package func holdSnapshots() throws {
        for store in stores {
            if case .database(let database) = store.content { try database.reader.hold() }
        }
    }

    /// Ends the transaction that `holdSnapshots` began.
    package func releaseSnapshots() {
        for store in stores {
            if case .database(let database) = store.content { database.reader.release() }
        }
    }
}
