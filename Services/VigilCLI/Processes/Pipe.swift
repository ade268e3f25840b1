import Foundation

/// A pipe that no child inherits by itself. To be made only while no other thread starts a program. Both ends are closed with the last reference.
final class Pipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws(ProcessError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ProcessError(program: "pipe", number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }
}
