import Foundation
import SuiteHarness

/// The thread of a `FaultyLink`: owns its sockets, so needs no lock.
struct FaultyLinkPump {
    let listener: Int32
    let target: UInt16
    private var flows: [LinkFlow] = []

    init(listener: Int32, target: UInt16) {
        self.listener = listener
        self.target = target
    }

    /// Carries bytes until there is no mode any more.
    mutating func run(_ mode: () -> FaultyLink.Mode?) {
        while let mode = mode() {
            wait(mode)
            accept(mode)
            if mode == .cut { closeAll() }
            if mode != .stall { carry(mode) }
        }
        closeAll()
        close(listener)
    }

    /// At most 5 ms, so that a change of mode and what is due are seen in time.
    private func wait(_ mode: FaultyLink.Mode) {
        var sockets = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
        if mode != .stall {
            for flow in flows {
                let events = (flow.hasRoom ? Int16(POLLIN) : 0)
                sockets.append(pollfd(fd: flow.from, events: events, revents: 0))
            }
        }
        poll(&sockets, nfds_t(sockets.count), 5)
    }

    private mutating func accept(_ mode: FaultyLink.Mode) {
        while true {
            let descriptor = Foundation.accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            guard mode != .cut, let other = LoopbackSocket.connected(to: target) else {
                close(descriptor)
                continue
            }
            LoopbackSocket.prepare(descriptor)
            flows += [LinkFlow(from: descriptor, to: other), LinkFlow(from: other, to: descriptor)]
        }
    }

    private mutating func carry(_ mode: FaultyLink.Mode) {
        var delay: Int64 = 0
        if case .delay(let nanoseconds) = mode { delay = nanoseconds }
        let now = MonotonicTime.now
        var ended: Set<Int32> = []
        for index in flows.indices where !flows[index].carry(now: now, delay: delay) {
            ended.formUnion([flows[index].from, flows[index].to])
        }
        for descriptor in ended { close(descriptor) }
        flows.removeAll { ended.contains($0.from) }
    }

    private mutating func closeAll() {
        for descriptor in Set(flows.map(\.from)) { close(descriptor) }
        flows = []
    }
}
