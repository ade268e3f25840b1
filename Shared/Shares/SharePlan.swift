/// A replica's next step towards an even division, decided from what all replicas see alike.
///
/// Of S shares and M replicas each is to have ⌊S / M⌋ or one more; those have one more that have most already, so that few shares move.
/// Of what is too much a quarter is given up at a time, so that most of it is at work at any moment and the whole is soon even.
/// A share that an operator moved goes where it is wanted while that replica works, whatever else it has.
struct SharePlan: Equatable {
    /// The shares to claim, those that are wanted here first. Among them may be one that is the replica's by the table and not by its own
    /// account: its process before this one had it, or an answer was lost.
    private(set) var claims: [Int] = []
    /// The shares to give up.
    private(set) var releases: [Int] = []
    /// Nothing is left to be handed over, here or elsewhere.
    private(set) var isSettled = true

    /// - Parameters:
    ///   - name: The replica's.
    ///   - held: What it works on, by its own account.
    ///   - releasing: Those of them that it gives up at the moment.
    ///   - mayTakeOver: Whether it may claim what another has let expire.
    init(_ view: LeaseView, for name: String, held: Set<Int>, releasing: Set<Int>, mayTakeOver: Bool) {
        let working = view.working, workers = Set(working.map(\.name))
        let keeps = held.subtracting(releasing)
        let wanted = Set(view.rows.filter { $0.wanted == name }.map(\.share))
        let elsewhere = Set(view.rows.filter { row in row.wanted.map { $0 != name && workers.contains($0) } ?? false }.map(\.share))
        let quota = Self.quota(of: name, among: working, view)
        releases = keeps.intersection(elsewhere).sorted()
        let surplus = keeps.count - releases.count - quota
        // What was given up before is to be taken up first.
        let hasFree = view.rows.contains { $0.owner == nil }
        if surplus > 0, releasing.isEmpty, releases.isEmpty, !hasFree {
            releases = keeps.subtracting(wanted).sorted().suffix((surplus + 3) / 4)
        }
        guard workers.contains(name) else {
            isSettled = keeps.isEmpty
            return
        }
        let takeable = view.rows.filter { row in
            !held.contains(row.share) && !elsewhere.contains(row.share)
                && (row.owner == nil || row.owner == name || row.remaining <= .zero && mayTakeOver)
        }.map(\.share)
        let mine = takeable.filter(wanted.contains)
        let others = takeable.filter { !wanted.contains($0) }
        claims = mine + others.prefix(max(0, quota - keeps.count - mine.count))
        let isOverfull = surplus > 0 && !keeps.subtracting(wanted).isEmpty
        isSettled = claims.isEmpty && releases.isEmpty && releasing.isEmpty && !isOverfull && keeps.count >= quota
    }

    /// The number of shares that the replica is to have; none where it does not work.
    private static func quota(of name: String, among working: [LeaseView.Member], _ view: LeaseView) -> Int {
        var owned: [String: Int] = [:], loads = Dictionary(uniqueKeysWithValues: working.map { ($0.name, 0) })
        for row in view.rows where row.isHeld { owned[row.owner ?? "", default: 0] += 1 }
        var spread = view.rows.count
        for wanted in view.rows.compactMap(\.wanted) where loads[wanted] != nil {
            loads[wanted, default: 0] += 1
            spread -= 1
        }
        for _ in 0..<spread {
            let least = loads.keys.min { left, right in
                let (a, b) = ((loads[left] ?? 0, -(owned[left] ?? 0)), (loads[right] ?? 0, -(owned[right] ?? 0)))
                return a == b ? left < right : a < b
            }
            if let least { loads[least, default: 0] += 1 }
        }
        return loads[name] ?? 0
    }
}
