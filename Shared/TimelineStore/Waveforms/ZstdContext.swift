import CZstd

/// zstd's working memory, made when it is first needed, and kept because making it costs more than compressing a block of samples.
///
/// Threading: as the connection that owns it, one thread at a time.
@safe package final class ZstdContext {
    /// Level 1: on blocks of 100 samples higher levels take several times as long for a hundredth fewer bytes.
    private static let level: Int32 = 1

    private var compressor: OpaquePointer?
    private var decompressor: OpaquePointer?

    package init() {}

    deinit {
        unsafe ZSTD_freeCCtx(compressor)
        unsafe ZSTD_freeDCtx(decompressor)
    }

    /// The bytes compressed; nil where zstd cannot (no memory), so that the caller keeps them as they are.
    package func compress(_ bytes: [UInt8]) -> [UInt8]? {
        if unsafe compressor == nil { unsafe compressor = ZSTD_createCCtx() }
        guard unsafe compressor != nil else { return nil }
        let room = ZSTD_compressBound(bytes.count)
        var result: Int = 0
        let output = unsafe [UInt8](unsafeUninitializedCapacity: room) { target, count in
            result = unsafe bytes.withUnsafeBytes { source in
                unsafe ZSTD_compressCCtx(compressor, target.baseAddress, room, source.baseAddress, source.count, Self.level)
            }
            count = ZSTD_isError(result) == 0 ? result : 0
        }
        return ZSTD_isError(result) == 0 ? output : nil
    }

    /// The decompressed bytes; nil where they are not zstd's, or were more than `atMost` bytes.
    func decompress(_ bytes: [UInt8], atMost room: Int) -> [UInt8]? {
        if unsafe decompressor == nil { unsafe decompressor = ZSTD_createDCtx() }
        guard unsafe decompressor != nil else { return nil }
        var result: Int = 0
        let output = unsafe [UInt8](unsafeUninitializedCapacity: room) { target, count in
            result = unsafe bytes.withUnsafeBytes { source in
                unsafe ZSTD_decompressDCtx(decompressor, target.baseAddress, room, source.baseAddress, source.count)
            }
            count = ZSTD_isError(result) == 0 ? result : 0
        }
        return ZSTD_isError(result) == 0 ? output : nil
    }
}
