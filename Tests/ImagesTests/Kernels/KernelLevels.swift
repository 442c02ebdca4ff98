import CKernels

extension apod_kernel_level {
    /// The instruction sets of this processor, starting with the portable code.
    static let available: [apod_kernel_level] =
        apod_kernel_best() == APOD_KERNEL_NEON
        ? [APOD_KERNEL_SCALAR, APOD_KERNEL_NEON]
        : [APOD_KERNEL_SCALAR, APOD_KERNEL_SSE2, APOD_KERNEL_AVX2].filter {
            $0.rawValue <= apod_kernel_best().rawValue
        }
}
