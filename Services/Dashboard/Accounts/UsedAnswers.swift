import Cryptography
import TimelineStore

extension AccountStore {
    /// Marks a link in a message as used, by its digest. False where it was used before: of two who use one, the second is refused.
    /// - Parameter expires: From when on it is refused anyway.
    func use(answer token: String, until expires: Double, now: Double) async throws -> Bool {
        let digest = SQLValue.text(SHA256.hex(of: token))
        return try await database.transaction { connection in
            try connection.run("DELETE FROM answers WHERE expires < $1", [.real(now)])
            return try connection.run("INSERT INTO answers VALUES ($1, $2) ON CONFLICT DO NOTHING", [digest, .real(expires)]) > 0
        }
    }

    /// Returns whether a link in a message was used.
    func isUsed(answer token: String) async throws -> Bool {
        let digest = SQLValue.text(SHA256.hex(of: token))
        return try await database.read { try !$0.rows("SELECT 1 FROM answers WHERE digest = $1", [digest]).isEmpty }
    }

    /// Lets a link be used again whose answer was not carried out.
    func release(answer token: String) async throws {
        let digest = SQLValue.text(SHA256.hex(of: token))
        try await database.transaction { _ = try $0.run("DELETE FROM answers WHERE digest = $1", [digest]) }
    }
}
