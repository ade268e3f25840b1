/// Files one after the other in the format that `tar` unpacks: POSIX ustar, https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html
package enum TarArchive {
    private static let block = 512

    /// What ends an archive.
    package static let end = [UInt8](repeating: 0, count: 2 * block)

    /// A file's place in an archive: header, content, and zeros up to the next block.
    /// - Parameters:
    ///   - name: at most 100 bytes; what is longer is cut.
    ///   - time: when it was changed, Unix seconds.
    package static func member(_ name: String, _ content: [UInt8], time: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: block)
        func put(_ text: String, at offset: Int) { header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8) }
        func put(_ number: Int, at offset: Int, digits: Int) {
            let octal = String(number, radix: 8)
            put(String(repeating: "0", count: max(0, digits - octal.count)) + octal, at: offset)
        }
        let cut = Array(name.utf8.prefix(100))
        header.replaceSubrange(0..<cut.count, with: cut)
        put(0o600, at: 100, digits: 7)
        for owner in [108, 116] { put(0, at: owner, digits: 7) }
        put(content.count, at: 124, digits: 11)
        put(time, at: 136, digits: 11)
        put("        0", at: 148)
        put("ustar\0" + "00", at: 257)
        put(header.reduce(0) { $0 + Int($1) }, at: 148, digits: 6)
        header[154] = 0
        let rest = (block - content.count % block) % block
        return header + content + [UInt8](repeating: 0, count: rest)
    }
}
