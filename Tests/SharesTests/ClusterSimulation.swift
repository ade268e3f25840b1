import SignalSynthesis
import VigilSchema

@testable import Shares

/// Replicas, a table of leases, a broker and the faults between them, on a clock of the simulation: no thread, no waiting, the same for the same seed.
///
/// A replica works on a share over a connection with the share's one client identifier: the newer ends the older. Every tenth of a second it commits,
/// where the table lets it. What the replicas decide is decided by the very values that the programs use.
struct ClusterSimulation {
    /// The time after the last fault within which every share is to be worked on. Answers that get lost, which count as no fault, are in it.
    private static let bound = Duration.seconds(12)
    /// The time after the last fault within which the shares are to be divided evenly.
    private static let evenBound = Duration.seconds(16)
    private static let tick = Duration.milliseconds(20)
    private static let shares = 16

    private(set) var time = Duration.zero
    private(set) var book = LeaseBook(shares: shares)
    private(set) var nodes: [SimulatedReplica] = []
    /// By share: the process whose connection the broker has.
    private(set) var connected: [Int: String] = [:]
    /// By share: the last commit, and by whom and under which epoch.
    private(set) var commits: [Int: (time: Duration, process: String, epoch: Int64)] = [:]
    private(set) var fenced = 0
    private(set) var connections = 0
    private(set) var violations: [String] = []
    private(set) var disturbed = Duration.zero
    private var databaseReturns = Duration.zero
    private var random: SeededGenerator
    private var started = 0
    private let log: Bool

    init(seed: UInt64, log: Bool = false) {
        random = SeededGenerator(seed: seed)
        self.log = log
        for _ in 0..<Int.random(in: 1...4, using: &random) { start() }
    }

    private var isDatabaseAway: Bool { time < databaseReturns }

    /// Runs with a fault now and then; before each, mostly, there is time enough for everything to have come to rest.
    mutating func run(faults: Int) {
        for _ in 0..<faults {
            let calm = Int.random(in: 0...3, using: &random) > 0
            advance(
                by: calm
                    ? .milliseconds(Int.random(in: 12_000...16_000, using: &random))
                    : .milliseconds(Int.random(in: 0...6000, using: &random)))
            disturb()
        }
        advance(by: .seconds(60))
    }

    private mutating func advance(by duration: Duration) {
        let end = time + duration
        while time < end, violations.isEmpty {
            time += Self.tick
            book.now += Self.tick
            for index in nodes.indices { step(index) }
            judge()
        }
    }

    // MARK: - Faults

    private mutating func disturb() {
        let alive = nodes.indices.filter { !nodes[$0].isDead && !nodes[$0].isStopping }
        let one = alive.randomElement(using: &random)
        var until = time
        let kind = Int.random(in: 0..<9, using: &random)
        defer { if log { print(time, "fault", kind, one.map { nodes[$0].name.name } ?? "-", "until", until, state) } }
        switch kind {
        case 0:
            if let one, alive.count > 1 { nodes[one].isDead = true }
        case 1:
            // Killed and started again by the same name, as an orchestrator does.
            if let one {
                nodes[one].isDead = true
                start(name: nodes[one].name.name)
            }
        case 2:
            if let one {
                until = time + .milliseconds(Int.random(in: 500...25_000, using: &random))
                nodes[one].frozenUntil = until
            }
        case 3:
            until = time + .milliseconds(Int.random(in: 500...20_000, using: &random))
            databaseReturns = max(databaseReturns, until)
        case 4:
            if let one {
                until = time + .milliseconds(Int.random(in: 500...20_000, using: &random))
                nodes[one].cutOffUntil = until
            }
        case 5: book.now += .seconds(Int.random(in: -4000...4000, using: &random))
        case 6: if alive.count < 5 { start() }
        case 7: if let one, alive.count > 1 { nodes[one].stop(at: time) }
        default:
            book.move(Int.random(in: 0..<Self.shares, using: &random), to: one.map { nodes[$0].name.name })
        }
        disturbed = max(disturbed, until, nodes.map(\.frozenUntil).max() ?? time, nodes.map(\.cutOffUntil).max() ?? time, databaseReturns)
    }

    /// For people.
    private var state: String {
        let rows = book.rows.map { "\($0.owner ?? "-")/\($0.epoch)/\(($0.expires - book.now) / .seconds(1))" }.joined(separator: " ")
        let replicas = nodes.filter { !$0.isDead }.map { "\($0.name.name) \($0.name.process) \($0.works.keys.sorted())" }
        return "\(rows) \(replicas)"
    }

    private mutating func start(name: String? = nil) {
        started += 1
        let replica = ReplicaName(service: "vigil-test", name: name ?? "r\(started)", process: "p\(started)")
        let rate = Double.random(in: 0.99...1.01, using: &random)
        nodes.append(SimulatedReplica(replica, rate: rate, started: time))
    }

    // MARK: - One step

    private mutating func step(_ index: Int) {
        guard !nodes[index].isDead, nodes[index].frozenUntil <= time else {
            // What it has sent already arrives even so.
            return deliver(nodes[index].sent, of: index)
        }
        deliver(nodes[index].sent, of: index)
        for share in nodes[index].works.keys.sorted() { work(on: share, at: index) }
        if let asked = nodes[index].next(at: time, latency: .milliseconds(Int.random(in: 2...120, using: &random))) {
            nodes[index].sent = asked
        }
        if nodes[index].hasLeft {
            nodes[index].isDead = true
            book.leave(nodes[index].name)
        }
    }

    private mutating func deliver(_ call: SimulatedReplica.Call?, of index: Int) {
        guard var call = call else { return }
        let name = nodes[index].name
        if !call.isDone, time >= call.arrives {
            call.isDone = true
            if isDatabaseAway || nodes[index].cutOffUntil > time {
                call.answer = .none
            } else {
                call.answer = book.answer(call.question, of: name)
            }
            // The answer of some is lost: then it has happened all the same.
            if Int.random(in: 0..<200, using: &random) == 0 { call.answer = .none }
            if call.answer == .none { call.returns = max(call.returns, time + .milliseconds(1500)) }
            nodes[index].sent = call
        }
        guard call.isDone, time >= call.returns, !nodes[index].isDead, nodes[index].frozenUntil <= time else { return }
        nodes[index].sent = nil
        nodes[index].take(call, at: time)
    }

    private mutating func work(on share: Int, at index: Int) {
        guard var work = nodes[index].works[share] else { return }
        let process = nodes[index].name.process
        if !work.isConnected, time >= work.connects {
            work.isConnected = true
            connected[share] = process
            connections += 1
        } else if work.isConnected, connected[share] != process {
            return nodes[index].ended(share, at: time)
        } else if let drained = work.drained, time >= drained {
            if connected[share] == process { connected[share] = nil }
            return nodes[index].ended(share, at: time)
        }
        if work.isConnected, time >= work.commits {
            work.commits = time + .milliseconds(100)
            if !isDatabaseAway, nodes[index].cutOffUntil <= time { commit(work.hold, process) }
        }
        nodes[index].works[share] = work
    }

    private mutating func commit(_ hold: LeaseHold, _ process: String) {
        guard book.allows(hold) else { return fenced += 1 }
        if let last = commits[hold.share] {
            if last.epoch > hold.epoch { violations.append("\(time): share \(hold.share) went back to epoch \(hold.epoch)") }
            if last.epoch == hold.epoch, last.process != process {
                violations.append("\(time): \(last.process) and \(process) both committed under epoch \(hold.epoch) of \(hold.share)")
            }
        }
        commits[hold.share] = (time, process, hold.epoch)
    }

    private mutating func judge() {
        let alive = nodes.filter { !$0.isDead && !$0.isStopping }
        guard time - disturbed > Self.bound, !alive.isEmpty else { return }
        for share in 0..<Self.shares {
            let last = commits[share]?.time ?? .zero
            if time - last > .seconds(1) { violations.append("\(time): share \(share) rests since \(last)") }
        }
        let wanted = book.rows.contains { row in row.wanted.map { name in alive.contains { $0.name.name == name } } ?? false }
        let counts = alive.map(\.works.count)
        if log, !violations.isEmpty { print(time, state) }
        if !wanted, time - disturbed > Self.evenBound, (counts.max() ?? 0) - (counts.min() ?? 0) > 1 {
            violations.append("\(time): the shares are \(counts)")
        }
    }
}

extension LeaseBook {
    fileprivate mutating func answer(_ question: SimulatedReplica.Question, of name: ReplicaName) -> SimulatedReplica.Answer {
        let lease = LeaseTiming().lease
        switch question {
        case .beat(let held): return beat(name, held: held, lease: lease).map { .view($0) } ?? .refused
        case .claim(let shares): return .claimed(claim(shares, for: name, lease: lease))
        case .free(let hold):
            free(hold, of: name)
            return .freed(hold.share)
        }
    }
}
