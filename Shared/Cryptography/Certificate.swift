import CCrypto
import Foundation

/// What an X.509 certificate says of its time, by OpenSSL.
package struct Certificate: Sendable, Hashable {
    /// The last moment at which it is valid, Unix seconds.
    package let end: Int64

    /// Reads one from its DER form; nil where these bytes are none.
    package init?(der bytes: [UInt8]) {
        // Without TLS there is none, and OpenSSL need not be woken for it: that takes 1.7 MB.
        guard !bytes.isEmpty else { return nil }
        let certificate = unsafe bytes.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe d2i_X509(nil, &start, buffer.count)
        }
        unsafe self.init(certificate)
    }

    /// Reads the first one of a PEM file, which is the server's own in a chain; nil where there is none.
    package init?(pem text: String) {
        let bytes = Array(text.utf8)
        let certificate = unsafe bytes.withUnsafeBytes { buffer in
            let source = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count))
            defer { unsafe BIO_free(source) }
            return unsafe PEM_read_bio_X509(source, nil, nil, nil)
        }
        unsafe self.init(certificate)
    }

    private init?(_ certificate: OpaquePointer?) {
        guard let certificate = unsafe certificate else { return nil }
        defer { unsafe X509_free(certificate) }
        var parts = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) == 1 else { return nil }
        unsafe end = Int64(timegm(&parts))
    }
}
