import CCrypto

/// A key pair on the curve P-256 (NIST SP 800-186), by OpenSSL.
///
/// Threading: a value; any.
package struct EllipticKey: Sendable, Hashable {
    /// The number, 32 bytes, most significant first.
    package let secret: [UInt8]
    /// The point, uncompressed: 4 and two coordinates, 65 bytes.
    package let publicKey: [UInt8]

    /// A key that nobody has had before.
    package init() throws(EllipticKeyError) {
        for _ in 0..<8 {
            if let key = try? EllipticKey(secret: (0..<32).map { _ in UInt8.random(in: .min ... .max) }) {
                self = key
                return
            }
        }
        throw .library
    }

    /// - Parameter secret: 32 bytes, from 1 to below the curve's order.
    package init(secret: [UInt8]) throws(EllipticKeyError) {
        guard secret.count == 32, let publicKey = Self.point(of: secret) else { throw .secret }
        self.secret = secret
        self.publicKey = publicKey
    }

    private static func point(of secret: [UInt8]) -> [UInt8]? {
        let curve = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1)
        let point = unsafe EC_POINT_new(curve)
        let number = unsafe BN_bin2bn(secret, 32, nil)
        defer {
            unsafe EC_POINT_free(point)
            unsafe BN_clear_free(number)
            unsafe EC_GROUP_free(curve)
        }
        guard unsafe BN_is_zero(number) == 0, unsafe BN_cmp(number, EC_GROUP_get0_order(curve)) < 0 else { return nil }
        guard unsafe EC_POINT_mul(curve, point, number, nil, nil, nil) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 65)
        let length = unsafe EC_POINT_point2oct(curve, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
        return length == 65 ? bytes : nil
    }

    /// The secret that this key and another's public key share: the x-coordinate, 32 bytes (SP 800-56A).
    /// - Throws: `.publicKey` where the bytes are no point of the curve.
    package func sharedSecret(with other: [UInt8]) throws(EllipticKeyError) -> [UInt8] {
        guard let own = unsafe vigil_elliptic_key(publicKey, publicKey.count, secret) else { throw .library }
        defer { unsafe EVP_PKEY_free(own) }
        guard other.count == 65, let peer = unsafe vigil_elliptic_key(other, other.count, nil) else { throw .publicKey }
        defer { unsafe EVP_PKEY_free(peer) }
        let context = unsafe EVP_PKEY_CTX_new(own, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var (bytes, length) = ([UInt8](repeating: 0, count: 32), 32)
        guard unsafe EVP_PKEY_derive_init(context) == 1 else { throw .library }
        guard unsafe EVP_PKEY_derive_set_peer(context, peer) == 1 else { throw .publicKey }
        guard unsafe EVP_PKEY_derive(context, &bytes, &length) == 1, length == 32 else { throw .library }
        return bytes
    }

    /// Signs by ECDSA with SHA-256, as JSON Web Signatures have it (RFC 7518, section 3.4): two numbers of 32 bytes.
    package func signature(of message: [UInt8]) throws(EllipticKeyError) -> [UInt8] {
        guard let own = unsafe vigil_elliptic_key(publicKey, publicKey.count, secret) else { throw .library }
        defer { unsafe EVP_PKEY_free(own) }
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        var (der, length) = ([UInt8](repeating: 0, count: 80), 80)
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, own) == 1,
            unsafe EVP_DigestSign(context, &der, &length, message, message.count) == 1
        else { throw .library }
        let signature = unsafe der.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &start, length)
        }
        defer { unsafe ECDSA_SIG_free(signature) }
        var (r, s) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
        guard unsafe signature != nil, unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, 32) == 32,
            unsafe BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, 32) == 32
        else { throw .library }
        return r + s
    }
}

/// The reason why a key on a curve cannot be used.
package enum EllipticKeyError: Error, Hashable, Sendable {
    /// The secret is no number below the curve's order.
    case secret
    /// The public key is no point of the curve.
    case publicKey
    /// OpenSSL failed.
    case library
}

/// AES-128 in the mode GCM (NIST SP 800-38D), by OpenSSL.
package enum AESGCM {
    /// Encrypts, and puts the tag of 16 bytes behind the ciphertext.
    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - nonce: 12 bytes, never the same twice for one key.
    package static func seal(_ plain: [UInt8], key: [UInt8], nonce: [UInt8]) throws(EllipticKeyError) -> [UInt8] {
        guard key.count == 16, nonce.count == 12 else { throw .library }
        let context = unsafe EVP_CIPHER_CTX_new()
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var (sealed, written, last) = ([UInt8](repeating: 0, count: plain.count + 16), Int32(0), Int32(0))
        var tag = [UInt8](repeating: 0, count: 16)
        guard unsafe EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1,
            unsafe EVP_EncryptUpdate(context, &sealed, &written, plain, Int32(plain.count)) == 1,
            unsafe EVP_EncryptFinal_ex(context, &tag, &last) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, &tag) == 1
        else { throw .library }
        return Array(sealed.prefix(plain.count)) + tag
    }
}
