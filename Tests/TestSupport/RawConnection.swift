import Foundation

/// A TCP connection to a loopback port for requests that no proper client sends: half of one, or one whose answer nobody reads.
package struct RawConnection: Sendable {
    private let descriptor: Int32

    /// Connects, and sends the text.
    package init(port: UInt16, sending text: String = "") throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard result == 0 else {
            close()
            throw POSIXError(.ECONNREFUSED)
        }
        send(text)
    }

    /// Sends more; that the other end has gone is no error here.
    package func send(_ text: String) {
        let bytes = [UInt8](text.utf8)
        _ = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Returns what arrives until the other end closes, or until the text contains `end`. Waits on a thread of its own: the tasks that
    /// answer have the few of the pool to themselves.
    package func receive(until end: String? = nil) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: received(until: end)) }
        }
    }

    private func received(until end: String?) -> String {
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &part, part.count, 0)
            guard count > 0 else { break }
            all.append(contentsOf: part.prefix(count))
            if let end, String(decoding: all, as: UTF8.self).contains(end) { break }
        }
        return String(decoding: all, as: UTF8.self)
    }

    /// Closes it.
    package func close() { _ = Foundation.close(descriptor) }
}
