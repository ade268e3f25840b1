/// The content types that messages carry.
public enum MediaType {
    /// Canonical batches and the native format.
    public static let json = "application/json"
    /// A canonical batch.
    public static let batch = "application/vnd.vigil.batch+json"
    /// SenML in JSON (RFC 8428).
    public static let senmlJSON = "application/senml+json"
    /// SenML in CBOR (RFC 8428).
    public static let senmlCBOR = "application/senml+cbor"
}
