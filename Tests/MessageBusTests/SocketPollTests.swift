import Foundation
import TestSupport
import Testing

@testable import MessageBus

@Suite("Waiting for a socket and a wake-up", .timeLimit(.minutes(1)))
struct SocketPollTests {
    /// Two sockets, each the other's other side, closed with this value.
    private final class Pair {
        let ours: Int32
        private var theirs: Int32

        init() throws {
            var both: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &both) == 0 else {
                throw NeverHappened(description: "a pair of sockets")
            }
            (ours, theirs) = (both[0], both[1])
        }

        deinit {
            hangUp()
            close(ours)
        }

        func say(_ count: Int) { _ = send(theirs, [UInt8](repeating: 7, count: count), count, Int32(MSG_NOSIGNAL)) }

        func sayNoMore() { shutdown(theirs, Int32(SHUT_WR)) }

        func hangUp() {
            if theirs >= 0 { close(theirs) }
            theirs = -1
        }
    }

    private let wakeUp = WakeUp()
    private let long = Duration.seconds(3_600)
    private let short = Duration.milliseconds(20)

    /// What is found, as letters: `r`eadable, `w`ritable, `b`roken.
    private func found(_ socket: Int32, _ read: Bool, _ write: Bool, _ timeout: Duration) -> String {
        let ready = SocketPoll.wait(socket: socket, read: read, write: write, wakeUp: wakeUp, timeout: timeout)
        return (ready.isReadable ? "r" : "") + (ready.isWritable ? "w" : "") + (ready.isBroken ? "b" : "")
    }

    @Test("lasts as long as was said where nothing happens, also without a socket")
    func nothing() throws {
        let pair = try Pair()
        for socket in [pair.ours, -1] {
            let start = ContinuousClock.now
            #expect(found(socket, true, false, short) == "")
            #expect(start.duration(to: .now) >= short)
        }
        #expect(found(pair.ours, true, false, .seconds(-5)) == "", "a time that is over is no time")
    }

    @Test("ends with what was asked for, and with nothing else that is there")
    func asked() throws {
        let pair = try Pair()
        #expect(found(pair.ours, false, true, long) == "w")
        #expect(found(pair.ours, true, true, long) == "w")
        pair.say(1)
        #expect(found(pair.ours, true, false, long) == "r")
        #expect(found(pair.ours, true, true, long) == "rw")
        #expect(found(pair.ours, false, true, long) == "w")
        #expect(found(pair.ours, false, false, short) == "")
    }

    @Test("ends with a side that says no more, or is gone, whatever was asked for; what it said before is still readable")
    func broken() throws {
        let pair = try Pair()
        pair.say(1)
        pair.sayNoMore()
        #expect(found(pair.ours, false, false, long) == "b")
        #expect(found(pair.ours, true, false, long) == "rb")
        pair.hangUp()
        #expect(found(pair.ours, true, false, long) == "rb")
        let closed = try Pair()
        closed.hangUp()
        #expect(found(closed.ours, false, false, long) == "b")
        #expect(found(9_999, true, true, long) == "b", "no such socket")
    }

    @Test("ends with a wake-up, also one from before, and takes it; many before it are one")
    func woken() throws {
        let pair = try Pair()
        for _ in 0..<3 {
            wakeUp.signal()
            wakeUp.signal()
            #expect(found(pair.ours, true, false, long) == "")
            let start = ContinuousClock.now
            #expect(found(pair.ours, true, false, short) == "")
            #expect(start.duration(to: .now) >= short, "the signal was taken")
        }
        for _ in 0..<5 { wakeUp.signal() }
        var count: UInt64 = 0
        #expect(read(wakeUp.descriptor, &count, 8) == 8 && count == 1, "a further signal costs no system call")
        wakeUp.clear()
        #expect(read(wakeUp.descriptor, &count, 8) == -1)
    }

    @Test("wakes a thread that waits already")
    func wakesWaiting() async {
        let wakeUp = wakeUp
        async let ready = onDedicatedThread(named: "waits") {
            SocketPoll.wait(socket: -1, read: false, write: false, wakeUp: wakeUp, timeout: .seconds(3_600)).isBroken
        }
        wakeUp.signal()
        #expect(await ready == false)
    }

    @Test("tells at once whether there is something to read")
    func readable() throws {
        let pair = try Pair()
        #expect(!SocketPoll.isReadable(pair.ours))
        pair.say(1)
        #expect(SocketPoll.isReadable(pair.ours))
        let closed = try Pair()
        closed.hangUp()
        #expect(SocketPoll.isReadable(closed.ours), "the end is read too")
        #expect(!SocketPoll.isReadable(-1) && !SocketPoll.isReadable(9_999))
    }

    @Test("forgets what comes until the other side hangs up, or the time is over")
    func discards() throws {
        let pair = try Pair()
        pair.say(100_000)
        pair.hangUp()
        SocketPoll.discard(from: pair.ours, within: long)
        var byte: UInt8 = 0
        #expect(recv(pair.ours, &byte, 1, Int32(MSG_DONTWAIT)) == 0, "nothing but the end is left")
        let silent = try Pair()
        silent.say(10)
        let start = ContinuousClock.now
        SocketPoll.discard(from: silent.ours, within: short)
        #expect(start.duration(to: .now) >= short)
        #expect(recv(silent.ours, &byte, 1, Int32(MSG_DONTWAIT)) == -1, "what it had said is read")
        silent.say(10)
        SocketPoll.discard(from: silent.ours, within: .zero)
        #expect(recv(silent.ours, &byte, 1, Int32(MSG_DONTWAIT)) == 1, "no time is left to read anything")
    }

    @Test("tells the error that connecting ended with")
    func pendingError() throws {
        let refused = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        defer { close(refused) }
        #expect(SocketPoll.pendingError(refused) == 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = try LoopbackPort.free().bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(refused, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        let immediate = errno
        #expect(code == -1)
        if immediate == EINPROGRESS {
            #expect(found(refused, false, true, long) != "")
            #expect(SocketPoll.pendingError(refused) == ECONNREFUSED)
        }
        #expect(SocketPoll.pendingError(-1) == EBADF)
    }

    @Test(
        "rounds up to milliseconds",
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.microseconds(999), 1), (.milliseconds(1), 1), (.microseconds(1_001), 2),
            (.seconds(1), 1_000),
            (.milliseconds(2_500), 2_500), (.seconds(2_147_483), 2_147_483_000), (.seconds(2_147_484), .max), (.nanoseconds(-1), 0),
            (.seconds(-1), 0), (.seconds(Int64.min / 2), 0), (.seconds(Int64.max / 2), .max),
        ] as [(Duration, Int32)])
    func milliseconds(duration: Duration, expected: Int32) {
        #expect(duration.milliseconds == expected)
    }
}
