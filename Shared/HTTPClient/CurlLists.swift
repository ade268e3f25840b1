import CCurl

/// The string lists that a transfer hands to libcurl, which does not copy them: freed with this object, after the transfer.
@safe final class CurlLists {
    private var heads: [UnsafeMutablePointer<curl_slist>] = unsafe []

    /// Builds a list and sets it.
    func set(_ lines: [String], _ option: CURLoption, on handle: CurlHandle) {
        var head: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            if let longer = unsafe curl_slist_append(head, line) { unsafe head = longer }
        }
        guard let head = unsafe head else { return }
        _ = unsafe vigil_curl_set_list(handle.pointer, option, head)
        unsafe heads.append(head)
    }

    deinit {
        while let head = unsafe heads.popLast() { unsafe curl_slist_free_all(head) }
    }
}
