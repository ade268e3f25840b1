import Testing

@testable import Cryptography

@Suite("A certificate")
struct CertificateTests {
    /// Made by openssl, which says: notAfter=Nov 23 08:04:29 2036 GMT.
    private static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBbDCCAROgAwIBAgIULUrCFErEhcZYPWsr6b2xJf4i/f0wCgYIKoZIzj0EAwIw
        DDEKMAgGA1UEAwwBdjAeFw0yNjExMjYwODA0MjlaFw0zNjExMjMwODA0MjlaMAwx
        CjAIBgNVBAMMAXYwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASnA2t9lMybsVP6
        w4fXwKmtVt3kiXKkym5jiJPh1WxM7dCjDdmLrtRZJI5kngh3ENjor2qWmbexp1Oe
        DWxiK1lpo1MwUTAdBgNVHQ4EFgQUfxqbDZg2PiaRYBFYpqYABmi4ABUwHwYDVR0j
        BBgwFoAUfxqbDZg2PiaRYBFYpqYABmi4ABUwDwYDVR0TAQH/BAUwAwEB/zAKBggq
        hkjOPQQDAgNHADBEAiAxlpw8hCVhNBs9pvi7oHd6Q5k0B8dfs52wsc0QSrgDtgIg
        exp6o9lxr85qhZ2hHa78Ri1cXEhNZO5yR6gIM3S6e7A=
        -----END CERTIFICATE-----
        """
    private static let end: Int64 = 2_111_040_269

    @Test("ends when openssl says, also with other text around it, and the first of a chain counts")
    func end() {
        #expect(Certificate(pem: Self.pem)?.end == Self.end)
        #expect(
            Certificate(pem: "# the broker's\n\(Self.pem)\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")?.end == Self.end
        )
    }

    @Test(
        "is none where the text or the bytes are none",
        arguments: ["", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func none(text: String) {
        #expect(Certificate(pem: text) == nil)
        #expect(Certificate(der: Array(text.utf8)) == nil)
    }
}
