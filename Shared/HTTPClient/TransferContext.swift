import CCurl
import Synchronization

/// What libcurl's callbacks need: the sink, the text to send, and whether the task was cancelled.
@safe final class TransferContext: Sendable {
    let sink: any TransferSink
    private let isCancelled = Atomic(false)
    private let upload: Mutex<ArraySlice<UInt8>>

    init(sink: any TransferSink, upload: [UInt8] = []) {
        self.sink = sink
        self.upload = Mutex(upload[...])
    }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Installs the callbacks. The handle must not outlive the context while it transfers.
    func attach(to handle: CurlHandle) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_XFERINFODATA, CURLOPT_READDATA] {
            _ = unsafe vigil_curl_set_pointer(handle.pointer, option, context)
        }
        handle.set(CURLOPT_NOPROGRESS, 0)
        _ = unsafe vigil_curl_set_data(handle.pointer, CURLOPT_WRITEFUNCTION, Self.onBody)
        _ = unsafe vigil_curl_set_data(handle.pointer, CURLOPT_HEADERFUNCTION, Self.onHeader)
        _ = unsafe vigil_curl_set_data(handle.pointer, CURLOPT_READFUNCTION, Self.onRead)
        _ = unsafe vigil_curl_set_progress(handle.pointer, Self.onProgress)
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> TransferContext? {
        unsafe pointer.map { unsafe Unmanaged<TransferContext>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let onBody: vigil_curl_data = { bytes, size, count, pointer in
        guard let context = unsafe TransferContext.of(pointer) else { return 0 }
        let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe context.sink.body(buffer) ? size * count : 0
    }

    private static let onHeader: vigil_curl_data = { bytes, size, count, pointer in
        guard let context = unsafe TransferContext.of(pointer) else { return 0 }
        let text = unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self)
        context.sink.header(String(text.prefix { !$0.isNewline }))
        return size * count
    }

    private static let onRead: vigil_curl_data = { bytes, size, count, pointer in
        guard let context = unsafe TransferContext.of(pointer), let bytes = unsafe bytes else { return 0 }
        return context.upload.withLock { rest in
            let piece = rest.prefix(size * count)
            unsafe UnsafeMutableRawPointer(bytes).copyMemory(from: Array(piece), byteCount: piece.count)
            rest = rest.dropFirst(piece.count)
            return piece.count
        }
    }

    private static let onProgress: vigil_curl_progress = { pointer, total, now, _, _ in
        guard let context = unsafe TransferContext.of(pointer) else { return 1 }
        context.sink.progress(received: Int64(now), total: Int64(total))
        return context.isCancelled.load(ordering: .relaxed) ? 1 : 0
    }
}
