import Foundation
package import VigilSchema

/// Decides if a clock is to be believed by which retention is about to remove things.
///
/// A machine without a battery clock may be years ahead for the first minute after a start, and what a run removes then does not come back. So a run
/// believes a clock that goes on from the last one that was believed, and doubts one that has leapt, until it has been the only one for some days of
/// running time. Another that is believed meanwhile, as after the leap is mended or on another machine, ends the trial.
package struct RetentionClock: Hashable, Sendable, Codable {
    /// The verdict on a clock.
    package enum Verdict: Hashable, Sendable {
        case believed
        /// The clock has leapt, and is believed after so much more running time, in microseconds.
        case doubted(Int64)
        /// No clock was believed before, as in a new database; this one is after so much more running time.
        case untried(Int64)
    }

    /// A clock that has leapt.
    private struct Trial: Hashable, Sendable, Codable {
        /// Where it stood at first.
        var since: Int64
        /// The running time since.
        var ran: Int64
    }

    private static let day: Int64 = 86_400_000_000
    /// How far a clock may have gone since the last run beyond the time that the process ran: whoever was switched off for longer waits.
    private static let leap = 7 * day
    /// The running time after which a clock that has leapt is believed.
    private static let trial = 3 * day
    /// The time within which that has to be, by the clock itself: one that leaps once more begins anew.
    private static let span = 100 * day

    /// The clock at the last run that was believed; nil before the first.
    private var believed: Int64?
    private var tried: Trial?

    package init() {}

    /// Judges a clock.
    /// - Parameters:
    ///   - now: What it says.
    ///   - ran: How long the process has run since it asked last, on a clock that goes on evenly, in microseconds.
    package mutating func judge(_ now: Timestamp, ran: Int64) -> Verdict {
        let now = now.microseconds
        if let believed, (-Self.leap...(Self.leap + ran)).contains(now - believed) { return believe(now) }
        guard let known = tried, (-Self.leap...Self.span).contains(now - known.since) else {
            tried = Trial(since: now, ran: 0)
            return unsure(Self.trial)
        }
        let sum = known.ran + ran
        guard sum < Self.trial else { return believe(now) }
        tried?.ran = sum
        return unsure(Self.trial - sum)
    }

    private func unsure(_ left: Int64) -> Verdict { believed == nil ? .untried(left) : .doubted(left) }

    private mutating func believe(_ now: Int64) -> Verdict {
        (believed, tried) = (now, nil)
        return .believed
    }
}

extension SQLTimelineStore {
    package func judgeClock(_ now: Timestamp, ran: Duration) async throws(StoreError) -> RetentionClock.Verdict {
        let ran = ran.components.seconds * 1_000_000 + ran.components.attoseconds / 1_000_000_000_000
        return try await record { connection throws(StoreError) in
            let sql = "SELECT value FROM setting WHERE name = 'retention clock' \(type(of: connection).lockingClause)"
            // What cannot be read counts as nothing: then the clock is tried.
            let kept = try connection.rows(sql).first.flatMap {
                try? JSONDecoder().decode(RetentionClock.self, from: Data($0.text(0).utf8))
            }
            var clock = kept ?? RetentionClock()
            let verdict = clock.judge(now, ran: ran)
            try connection.run(
                "INSERT INTO setting (name, value) VALUES ('retention clock', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                [.text(clock.json)])
            return verdict
        }
    }
}

extension RetentionClock {
    /// Two numbers and a trial's two always have a form.
    fileprivate var json: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "" }
}
