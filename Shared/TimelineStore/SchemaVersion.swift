/// The rule about a schema that another version of the program made.
enum SchemaVersion {
    static func check(found: Int, known: Int) throws(StoreError) {
        guard found <= known else {
            throw StoreError(
                .schemaTooNew, operation: "migrate",
                detail: "the database has schema version \(found), this program knows \(known): start a newer program, or restore a backup")
        }
    }
}
