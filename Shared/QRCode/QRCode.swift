import CQRencode

/// A text as a QR code (ISO/IEC 18004), made by libqrencode with error correction of level M.
package struct QRCode: Sendable, Hashable {
    /// The rows from top to bottom; true is dark. Without the quiet zone of four modules that belongs around it.
    package let rows: [[Bool]]

    /// Makes the code of a text of at most 1,000 bytes; nil for a longer one, an empty one, or one with a NUL.
    package init?(_ text: String) {
        guard (1...1000).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
        guard let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { unsafe QRcode_free(code) }
        let width = unsafe Int(code.pointee.width)
        guard let data = unsafe code.pointee.data else { return nil }
        // The lowest bit of each byte says whether the module is dark.
        let modules = unsafe UnsafeBufferPointer(start: data, count: width * width).map { $0 & 1 == 1 }
        rows = stride(from: 0, to: modules.count, by: width).map { Array(modules[$0..<$0 + width]) }
    }
}
