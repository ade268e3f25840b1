import CPostgres

extension StoreError {
    /// From a result that says what went wrong.
    @unsafe init(_ result: OpaquePointer, operation: String, connected: Bool) {
        let state = unsafe Self.text(vigil_pq_sqlstate(result))
        guard connected, !state.isEmpty else {
            self.init(.connectionLost, operation: operation, detail: "the connection to the database broke", databaseCode: state)
            return
        }
        let code = Self.code(state)
        let constraint = unsafe Self.text(vigil_pq_constraint(result))
        // A message about data may quote the data.
        let message = code == .refused ? Self.refusal(state, constraint) : unsafe Self.text(vigil_pq_message(result))
        self.init(code, operation: operation, detail: message, databaseCode: state)
    }

    private static func refusal(_ state: String, _ constraint: String) -> String {
        switch (state, constraint) {
        case ("23514", ""): missingPartition
        case (_, ""): "the database refuses the data"
        default: "the data violates \(constraint)"
        }
    }

    private static let missingPartition = "there is no partition for the time"

    /// The partition that a row belongs into is not there: somebody dropped it.
    var isMissingPartition: Bool { databaseCode == "23514" && detail == Self.missingPartition }

    /// From a connection that could not be made, or broke.
    init(connectionMessage: String, refused: Bool) {
        let message = connectionMessage.split(separator: "\n").joined(separator: "; ")
        let rights = [
            "password", "authentication", "does not exist", "no pg_hba.conf entry", "permission denied", "certificate", "invalid",
            "not permitted",
        ]
        // libpq gives no SQLSTATE for a failed connection, only its English text (lc_messages is the server's: rarely another).
        // A server that starts or stops also says "connection refused", which time mends.
        let isSetting = refused || rights.contains { message.contains($0) }
        self.init(isSetting ? .misconfigured : .unavailable, operation: "connect", detail: message)
    }

    /// https://www.postgresql.org/docs/15/errcodes-appendix.html
    private static func code(_ state: String) -> Code {
        switch state {
        case "53100", "58030", "53200": return .diskFull  // disk_full, io_error, out_of_memory
        case "57P01", "57P02", "57P03", "57P05": return .connectionLost  // shutdown, crash, starting, idle time-out
        case "23505", "40001", "40P01", "55P03", "57014": return .conflict  // unique, serialization, deadlock, lock, cancelled
        case "42501": return .misconfigured  // insufficient_privilege
        default: break
        }
        switch state.prefix(2) {
        case "08": return .connectionLost
        case "53", "57", "25": return .unavailable  // too many connections; a standby takes no writes until it is promoted
        case "28", "3D", "3F": return .misconfigured
        case "22", "23", "54": return .refused
        case "XX": return state == "XX000" ? .failed : .corrupt
        default: return .failed
        }
    }

    private static func text(_ field: UnsafePointer<CChar>?) -> String {
        guard let field = unsafe field else { return "" }
        return unsafe String(cString: field)
    }
}
