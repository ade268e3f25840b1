import CCurl
import Synchronization

/// One libcurl easy handle with its kept connections. Used by one transfer at a time.
///
/// `@unchecked Sendable`: the pool hands a handle to one transfer, which uses it on one thread and gives it back.
@safe final class CurlHandle: @unchecked Sendable {
    // Initialised once in the process, before the first handle: libcurl's global state is not safe to set up twice at once.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
    let pointer: UnsafeMutableRawPointer

    init() throws(TransferError) {
        guard Self.isReady, let pointer = unsafe curl_easy_init() else { throw TransferError(.other, "libcurl could not be started") }
        unsafe self.pointer = pointer
    }

    deinit { unsafe curl_easy_cleanup(pointer) }

    func set(_ option: CURLoption, _ value: Int) { _ = unsafe vigil_curl_set_long(pointer, option, value) }
    func set(_ option: CURLoption, large value: Int64) { _ = unsafe vigil_curl_set_large(pointer, option, value) }
    /// libcurl copies the text.
    func set(_ option: CURLoption, _ value: String) { _ = unsafe vigil_curl_set_string(pointer, option, value) }
    func get(_ info: CURLINFO) -> Int { unsafe vigil_curl_get_long(pointer, info) }
}

/// Idle handles, kept so that connections to the same server are reused.
final class HandlePool: Sendable {
    private let idle = Mutex<[CurlHandle]>([])

    func take() throws(TransferError) -> CurlHandle {
        if let known = idle.withLock({ $0.popLast() }) { return known }
        return try CurlHandle()
    }

    func giveBack(_ handle: CurlHandle) {
        unsafe curl_easy_reset(handle.pointer)
        idle.withLock { if $0.count < 4 { $0.append(handle) } }
    }
}
