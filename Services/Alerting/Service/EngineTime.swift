import AlertRules
import Foundation
import Glibc

/// Advances the engine's clock: evenly while the service runs, whatever the wall clock does, and after a pause by the
/// backlog at the broker.
///
/// A value without I/O. After a pause (the process was down or stopped, the machine asleep, the broker away for longer
/// than `pause`) the backlog contains what happened meanwhile. Until it is empty the clock follows the times of receipt
/// of those readings, so every timer acts as it would have acted then; then it advances to now. A marker message that
/// the service sends at the end of the pause shows the end of the backlog. Without it, a time without messages or
/// `patience` ends the wait.
package struct EngineTime: Sendable {
    /// The next step of the engine's clock.
    package enum Step: Equatable, Sendable {
        /// Advance to this time.
        case advance(Int64)
        /// Advance to this time over a period without observation.
        case skip(Int64)
        /// Stay: the backlog comes first.
        case wait
    }

    /// A longer time without a step is a pause.
    package static let pause: Int64 = 10_000_000
    /// The longest wait for the end of the backlog.
    package static let patience: Int64 = 300_000_000

    private let bootID: String
    /// Corresponding times of the machine and the engine.
    private let start: (boot: Int64, clock: Int64)
    private var catching: (since: Int64, heard: Int64)?
    /// The text of the awaited marker.
    private var number = 0
    private var isMarkerWanted = false

    /// - Parameters:
    ///   - kept: `encoded` of the previous process; nil: none.
    ///   - clock: the engine's clock at the end of that process.
    ///   - wall: its wall time.
    package init(after kept: [UInt8]?, clock: Int64, wall: Int64, now: ClockSample, bootID: String) throws {
        self.bootID = bootID
        guard let kept else {
            start = (now.boot, clock)
            return
        }
        var reader = ByteReader(kept)
        let before = (id: try reader.text(), boot: try reader.time(), clock: try reader.time())
        let isSameBoot = before.id == bootID && now.boot >= before.boot
        // Over a restart of the machine only the wall clock shows the length.
        let passed = isSameBoot ? before.clock + (now.boot - before.boot) - clock : now.wall - wall
        start = (now.boot, clock + max(0, passed))
        beginCatchingUp(start.clock)
    }

    /// For the next process.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.write(bootID)
        writer.write(start.boot)
        writer.write(start.clock)
        return writer.bytes
    }

    /// True while the engine is behind the present.
    package var isCatchingUp: Bool { catching != nil }

    /// The text of a new marker message; nil: none is due.
    package mutating func takeMarker() -> String? {
        guard isMarkerWanted else { return nil }
        isMarkerWanted = false
        return marker
    }

    private var marker: String { "\(start.boot)-\(number)" }

    /// The engine's time without a backlog.
    package func clock(at moment: ClockSample) -> Int64 { start.clock + max(0, moment.boot - start.boot) }

    /// The wall time at a time of the engine's clock.
    package func wall(of clock: Int64, at moment: ClockSample) -> Int64 { moment.wall - (self.clock(at: moment) - clock) }

    /// Advances the time.
    /// - Parameters:
    ///   - clock: the engine's clock.
    ///   - isHearing: whether messages have arrived.
    package mutating func pass(to moment: ClockSample, from clock: Int64, isHearing: Bool) -> Step {
        let now = self.clock(at: moment)
        if catching == nil, now - clock > Self.pause { beginCatchingUp(now) }
        guard let known = catching else { return .advance(now) }
        if isHearing { catching?.heard = now }
        let isOver = !isHearing && now - known.heard > Self.pause || now - known.since > Self.patience
        return isOver ? end(at: now) : .wait
    }

    /// Notes the wall time at which readings of the backlog were received.
    package func follow(received: Int64, at moment: ClockSample, from clock: Int64) -> Step {
        guard isCatchingUp else { return .wait }
        let now = self.clock(at: moment)
        let target = min(now, now - (moment.wall - received))
        guard target > clock else { return .wait }
        return target - clock > Self.pause ? .skip(target) : .advance(target)
    }

    /// Notes a returned marker: the backlog ends here.
    package mutating func reach(_ text: String, at moment: ClockSample) -> Step {
        isCatchingUp && text == marker ? end(at: clock(at: moment)) : .wait
    }

    private mutating func beginCatchingUp(_ now: Int64) {
        catching = (now, now)
        number += 1
        isMarkerWanted = true
    }

    private mutating func end(at now: Int64) -> Step {
        catching = nil
        isMarkerWanted = false
        return .skip(now)
    }
}

/// One reading of the machine's clocks, in microseconds.
package struct ClockSample: Hashable, Sendable {
    /// The wall clock since 1970, which may leap.
    package var wall: Int64
    /// The time since the start of the machine, including sleep: monotonic.
    package var boot: Int64

    package init(wall: Int64, boot: Int64) {
        self.wall = wall
        self.boot = boot
    }

    package static var now: ClockSample {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return ClockSample(
            wall: Int64(Date().timeIntervalSince1970 * 1e6), boot: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Identifies one start of the machine.
    package static var bootID: String {
        // If the kernel does not say, every start of the service counts as a start of the machine.
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? UUID().uuidString
    }
}

extension AlertCore {
    /// Advances the time. While there is a backlog the engine's clock stands still.
    func pass(to now: ClockSample, isHearing: Bool) {
        go(memory.time.pass(to: now, from: memory.engine.clock, isHearing: isHearing), now)
    }

    /// Moves the engine's clock, and notes it.
    func go(_ step: EngineTime.Step, _ now: ClockSample) {
        switch step {
        case .wait: return
        case .advance(let clock):
            let wall = memory.time.wall(of: clock, at: now)
            transaction.record.entries.append(.advance(clock: clock, now: wall))
            memory.engine.advance(to: clock, now: wall, into: &transaction.output)
        case .skip(let clock):
            let wall = memory.time.wall(of: clock, at: now)
            transaction.record.entries.append(.skip(clock: clock, now: wall))
            memory.engine.skip(to: clock, now: wall, into: &transaction.output)
        }
    }

    /// The wall time at the engine's clock.
    func wall(_ now: ClockSample) -> Int64 { memory.time.wall(of: memory.engine.clock, at: now) }

    /// The engine's time now, without a backlog: monotonic, also over restarts.
    var presentClock: Int64 { memory.time.clock(at: .now) }
}
