// SPDX-License-Identifier: MIT

extension StoreSet {
    /// Finds out which rows are copies, unless no database has changed since.
    ///
    /// Each question calls it before it reads anything; what it finds holds until the next one.
    func findCopies(_ progress: QueryProgress? = nil) throws {
        guard let copies, databases.count > 1 else { return }
        let versions = try databases.map { try $0.reader.currentDataVersion() }
        if versions != compared.versions {
            compared = (versions, try copies.rows(of: databases, progress))
        }
        // A follower of the same stores reads all rows.
        for (database, rows) in zip(databases, compared.rows) { database.counted = rows }
    }

    /// Whether an exchange that several databases have counts once.
    var countsOnce: Bool { copies != nil && databases.count > 1 }
}

extension Store {
    /// Returns whether an exchange counts, as far as its set has compared it.
    func counts(_ key: StoreKey) -> Bool {
        guard case .database(let database) = content else { return true }
        return database.counted?.contains(key.number) ?? true
    }

    /// How many of the exchanges up to a number are copies.
    func copies(through last: Int64) -> Int {
        guard case .database(let database) = content else { return 0 }
        return database.counted?.copies.count(through: last) ?? 0
    }

    /// Explains which exchanges do not count.
    func copiesStep() -> StorePlan.Step {
        if case .recording(let recording) = content {
            let isCompared = recording.ids != nil
            return StorePlan.Step(
                "copies",
                isCompared
                    ? "records with an id of a database or of an earlier recording are left out"
                    : "each record counts, also if a database has its id"
            )
        }
        guard case .database(let database) = content, let counted = database.counted else {
            return StorePlan.Step("copies", "each row counts")
        }
        let count = counted.copies.count
        let text =
            switch count {
            case 0: "no row has an id of an earlier database"
            case 1: "1 row has an id of an earlier database, and is left out"
            default: "\(count) rows have ids of earlier databases, and are left out"
            }
        return StorePlan.Step("copies", text)
    }
}
