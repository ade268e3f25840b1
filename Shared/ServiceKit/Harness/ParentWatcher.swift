import Foundation

/// Returns when standard input ends, which for a child of `vigil up` is when its parent ends, however that ends.
struct ParentWatcher: Service {
    func run() async throws {
        let ended = Latch()
        // It waits until the input or the process ends. Not a dispatch source: on Linux one that is cancelled when its pipe has just
        // ended may crash the process.
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            ended.open()
        }
        await ended.wait()
    }
}
