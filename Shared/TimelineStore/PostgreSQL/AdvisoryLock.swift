/// The locks that all instances agree on in a PostgreSQL database, by any numbers: no two purposes share one, as a service's state may be in the
/// timeline's database.
///
/// A number never changes, so that instances of two versions agree.
enum AdvisoryLock: Int, CaseIterable {
    /// Of whoever makes or drops a month's partitions, or brings the timeline's schema to another version.
    case partitions = 7_220_012
    /// Of the one who makes indexes.
    case indexes = 7_220_013
    /// Of the one who packs months.
    case packing = 7_220_014
    /// Of whoever brings the schema of a service's state to another version.
    case state = 7_220_015
    /// Of whoever seals a day, or looks through all that one of them may hold.
    case sealing = 7_220_016

    /// Waits for it, and keeps it until the transaction's end.
    func hold(on connection: PostgresConnection) throws(StoreError) {
        try connection.execute("SELECT pg_advisory_xact_lock(\(rawValue))")
    }

    /// Takes it until the connection's end, and returns whether nobody else had it.
    func take(on connection: PostgresConnection) throws(StoreError) -> Bool {
        try connection.rows("SELECT pg_try_advisory_lock(\(rawValue))::integer")[0].integer(0) == 1
    }
}
