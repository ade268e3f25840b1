import Glibc

/// The identity of a file's present content, of whatever a link leads to: which file it is, its size and the time of its last change.
///
/// The time alone does not do: two files that are written within one tick of the kernel's clock have the same one, as has one that is put back from a
/// copy, and an account that was revoked so would stay in force.
package struct FileVersion: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Nil where there is no such file.
    package init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        (device, number, size) = (UInt64(facts.st_dev), UInt64(facts.st_ino), Int64(facts.st_size))
        (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
    }
}
