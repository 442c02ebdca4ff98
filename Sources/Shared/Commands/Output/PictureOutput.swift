import Support

extension File {
    /// Returns standard output for the bytes of pictures. Throws `UsageFailure` if it is a terminal, because untrusted
    /// bytes can contain control sequences, and `SystemFailure` if it is closed.
    ///
    /// - Parameter example: the file name in the advice to redirect the output.
    public static func pictureOutput(example: String) throws -> File {
        if Terminal.isTerminal(1) {
            throw UsageFailure(
                "refusing to write a picture to a terminal; redirect it to a file or a pipe, as with > \(example)")
        }
        return try standardOutput()
    }
}
