import Cryptography
import TimelineStore

extension AccountStore {
    /// Marks a link in a message as used, by its digest. False where it was used before: of two who use one, the second is refused.
    /// - Parameters:
    ///   - expires: From when on it is refused anyway.
    ///   - line: the audit's line; where it cannot be written, the link stays unused.
    func use(answer token: String, until expires: Double, now: Double, noting line: AuditRecord? = nil) async throws -> Bool {
        let digest = SQLValue.text(SHA256.hex(of: token))
        return try await database.transaction { connection in
            try connection.run("DELETE FROM answers WHERE expires < $1", [.real(now)])
            let isFirst = try connection.run("INSERT INTO answers VALUES ($1, $2) ON CONFLICT DO NOTHING", [digest, .real(expires)]) > 0
            if isFirst, let line { try Self.append([line], connection) }
            return isFirst
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

    /// The seconds for which a request that was carried out is known.
    private static let requestLife = 90 * 86_400.0

    /// Notes that a request that may come again was carried out, beside the links that were used.
    func noteDone(request id: String, of account: String, now: Double) async throws {
        _ = try await use(answer: "\(account) \(id)", until: now + Self.requestLife, now: now)
    }

    /// Returns whether it was.
    func isDone(request id: String, of account: String) async throws -> Bool { try await isUsed(answer: "\(account) \(id)") }
}
