#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Float {
    /// The natural logarithm.
    static func log(_ value: Float) -> Float { logf(value) }
}
