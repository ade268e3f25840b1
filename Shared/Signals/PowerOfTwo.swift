extension Int {
    /// The smallest power of two that is not smaller: ring buffers of that size wrap by a mask.
    var roundedUpToPowerOfTwo: Int {
        self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
    }
}
