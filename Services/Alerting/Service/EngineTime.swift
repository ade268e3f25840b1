import AlertRules
import Foundation
import Glibc

/// Leads the engine's clock: evenly while the service runs, whatever the wall clock does, and after a pause by what waited at the broker.
///
/// A value without I/O. After a pause (the process was down or stopped, the machine asleep, the broker away for longer than `pause`) the queue holds
/// what happened meanwhile. Until it is empty the clock follows the times at which those readings were received, so that every timer acts as it
/// would have acted then; only afterwards does it go on to now. That the queue is empty is told by a message that the service sent
/// itself when the pause ended: it comes behind everything that waited. Where it does not come, a while without any message, or `patience`, ends the wait.
package struct EngineTime: Sendable {
    /// The next move of the engine's clock.
    package enum Step: Equatable, Sendable {
        /// Let it go on to there.
        case advance(Int64)
        /// Take it there over a time in which nobody looked.
        case skip(Int64)
        /// Leave it: what waits at the broker comes first.
        case wait
    }

    /// A longer time without a look is a pause.
    package static let pause: Int64 = 10_000_000
    /// The longest wait for the end of the queue.
    package static let patience: Int64 = 300_000_000

    private let bootID: String
    /// Corresponding moments of the machine and the engine.
    private let start: (boot: Int64, clock: Int64)
    private var catching: (since: Int64, heard: Int64)?
    /// Names the queue's end that is waited for.
    private var number = 0
    private var isMarkerWanted = false

    /// - Parameters:
    ///   - kept: `encoded` of the process before; nil: there was none.
    ///   - clock: where that process left the engine's clock.
    ///   - wall: the wall time that belongs to it.
    package init(after kept: [UInt8]?, clock: Int64, wall: Int64, now: ClockSample, bootID: String) throws {
        self.bootID = bootID
        guard let kept else {
            start = (now.boot, clock)
            return
        }
        var reader = ByteReader(kept)
        let before = (id: try reader.text(), boot: try reader.time(), clock: try reader.time())
        let isSameBoot = before.id == bootID && now.boot >= before.boot
        // Over a restart of the machine only the wall clock tells how long it was.
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

    /// The text of the message that shall come back from the broker; nil where none is to be sent.
    package mutating func takeMarker() -> String? {
        guard isMarkerWanted else { return nil }
        isMarkerWanted = false
        return marker
    }

    private var marker: String { "\(start.boot)-\(number)" }

    /// The engine's time where nothing waits.
    package func clock(at moment: ClockSample) -> Int64 { start.clock + max(0, moment.boot - start.boot) }

    /// The wall time that belongs to a place of the engine's clock.
    package func wall(of clock: Int64, at moment: ClockSample) -> Int64 { moment.wall - (self.clock(at: moment) - clock) }

    /// Time passes.
    /// - Parameters:
    ///   - clock: where the engine's stands.
    ///   - isHearing: whether messages have come.
    package mutating func pass(to moment: ClockSample, from clock: Int64, isHearing: Bool) -> Step {
        let now = self.clock(at: moment)
        if catching == nil, now - clock > Self.pause { beginCatchingUp(now) }
        guard let known = catching else { return .advance(now) }
        if isHearing { catching?.heard = now }
        let isOver = !isHearing && now - known.heard > Self.pause || now - known.since > Self.patience
        return isOver ? end(at: now) : .wait
    }

    /// Readings that waited were received at this wall time.
    package func follow(received: Int64, at moment: ClockSample, from clock: Int64) -> Step {
        guard isCatchingUp else { return .wait }
        let now = self.clock(at: moment)
        let target = min(now, now - (moment.wall - received))
        guard target > clock else { return .wait }
        return target - clock > Self.pause ? .skip(target) : .advance(target)
    }

    /// A marker came back: behind it is the present.
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

/// One look at the machine's clocks, in microseconds.
package struct ClockSample: Hashable, Sendable {
    /// The wall clock's time since 1970, which may leap.
    package var wall: Int64
    /// Since the machine was started, also while it sleeps: it goes on evenly and never back.
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

    /// Tells one start of the machine from every other.
    package static var bootID: String {
        // Where the kernel does not say, every start of the service counts as another start of the machine.
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? UUID().uuidString
    }
}

extension AlertCore {
    /// Time passes; while what waited at the broker is still coming, the engine's clock stands.
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

    /// The engine's time at this moment, were nothing waiting: it goes on evenly, also over restarts.
    var presentClock: Int64 { memory.time.clock(at: .now) }
}
