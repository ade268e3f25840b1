import Foundation

/// One direction of a proxied connection, with what waits to be sent on.
struct LinkFlow {
    let from: Int32
    let to: Int32
    private var waiting: [(due: Int64, bytes: ArraySlice<UInt8>)] = []
    private var held = 0

    init(from: Int32, to: Int32) {
        self.from = from
        self.to = to
    }

    /// Whether more may be read.
    var hasRoom: Bool { held < 256 << 10 }

    /// Reads what there is and sends what is due; false once the connection has ended and everything is sent.
    mutating func carry(now: Int64, delay: Int64) -> Bool {
        let isOpen = receive(due: now + delay)
        return send(now) && (isOpen || !waiting.isEmpty)
    }

    private mutating func receive(due: Int64) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while hasRoom {
            let count = recv(from, &buffer, buffer.count, 0)
            if count == 0 { return false }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            waiting.append((due, buffer[..<count]))
            held += count
        }
        return true
    }

    private mutating func send(_ now: Int64) -> Bool {
        while let first = waiting.first, first.due <= now {
            let count = first.bytes.withUnsafeBytes { Foundation.send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            held -= count
            if count == first.bytes.count { waiting.removeFirst() } else { waiting[0].bytes = first.bytes.dropFirst(count) }
        }
        return true
    }
}
