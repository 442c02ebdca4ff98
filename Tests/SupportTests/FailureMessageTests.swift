import Libc
import TestSupport
import Testing

@testable import Support

/// The words of all failures of files, folders and system calls.
@Suite struct FailureMessageTests {
    @Test(
        arguments: [
            (ENOSPC, "74 disk-full", "; free some space, then try again"),
            (EDQUOT, "74 disk-full", "; free some space, then try again"),
            (EFBIG, "74 file-too-large", ""),
            (EROFS, "74 read-only", "; choose a writable folder"),
            (EACCES, "74 permission", "; check the permissions of the file and the folders above it"),
            (EPERM, "74 permission", "; check the permissions of the file and the folders above it"),
            (ENOENT, "74 no-such-file", ""),
            (EMFILE, "75 too-many-files", "; use fewer --jobs or raise the limit of open files (ulimit -n)"),
            (ENFILE, "75 too-many-files", "; try again later"),
            (ENOMEM, "75 out-of-memory", "; try again when more memory is free"),
            (EIO, "74 io", "; check the disk and the system log"),
            (ESTALE, "75 io", "; try again when the file system responds"),
            (ETIMEDOUT, "75 io", "; try again when the file system responds"),
            (EBADF, "74 io", ""),
        ] as [(Int32, String, String)])
    func everyErrorNumberHasItsRemedy(errno: Int32, status: String, remedy: String) {
        let words = "cannot read /a: \(systemMessage(errno))\(remedy)"
        #expect(summary(SystemFailure(errno: errno, "read /a")) == "\(status): \(words)")
    }

    @Test(
        arguments: [
            (.openInput, EISDIR, "66 cannot-open"), (.openInput, EACCES, "66 permission"),
            (.openInput, EIO, "74 cannot-open"),
            (.makeOutput, EISDIR, "73 cannot-create"), (.makeOutput, EROFS, "73 read-only"),
            (.makeOutput, ENOSPC, "74 disk-full"), (.makeOutput, EMFILE, "75 too-many-files"),
        ] as [(SystemFailure.Purpose, Int32, String)])
    func purposeDeterminesTheStatus(purpose: SystemFailure.Purpose, errno: Int32, expected: String) {
        #expect(
            summary(SystemFailure(errno: errno, "open /a", purpose: purpose)).hasPrefix("\(expected): cannot open /a: ")
        )
    }

    @Test func everyUnsafePathHasAReasonAndARemedy() {
        let rows: [(UnsafePath, String)] = [
            (.link("/a"), "its path contains a symbolic link; choose another path, or move the link or file away"),
            (
                .notAPlainFile("/a"),
                """
                it is not a regular file, or has another hard link; choose another path, or move the link or file away
                """
            ),
            (
                .owner("/a", owner: 0, user: 7),
                """
                it belongs to user 0, and you are user 7; if it is yours, run: sudo chown -R 7 /a; if other users \
                share it, set APOD_TOOLS_ALLOW_SHARED_ROOT=true
                """
            ),
            (
                .writableByAll("/a"),
                """
                every user can write to it; run: chmod o-w /a; if other users share it, set \
                APOD_TOOLS_ALLOW_SHARED_ROOT=true
                """
            ),
            (.readableByOthers("/a"), "other users can read it; run: chmod go= /a"),
            (.ownerAbove("/a"), "its parent folder belongs to another user; choose another path"),
            (.writableAbove("/a"), "every user can rename files in its parent folder; choose another path"),
        ]
        for (failure, words) in rows {
            #expect(summary(failure) == "78 unsafe-place: /a is not safe to use: \(words)")
        }
    }

    @Test func everyOtherFailureHasAMessage() {
        struct Broken: Error {}
        let usage = UsageFailure("--jbos is not an option")
        let rows: [(any Failure, String)] = [
            (usage, "64 usage: --jbos is not an option"),
            (
                SuggestingFailure(usage, meant: "--jobs"),
                "64 usage: --jbos is not an option; did you mean --jobs?"
            ),
            (ConfigurationFailure("ttl is invalid"), "78 configuration: ttl is invalid"),
            (Cancelled(), "75 cancelled: stopped before completion"),
            (failure(of: Broken()), "70 internal: unexpected fault: Broken()"),
            (InputTooLarge(path: "/a", byteLimit: 9), "77 too-many-bytes: /a exceeds the limit of 9 bytes"),
            (
                UnmappedName(host: "ü.example", reason: "R"),
                "69 no-libidn2: the host \"ü.example\" cannot be converted to ASCII: R"
            ),
            (
                SystemFailure(errno: EACCES, "open /a", purpose: .openInput, isConfined: true),
                """
                66 confined: cannot open /a: \(systemMessage(EACCES)); the sandbox allows only paths that options \
                name; name this path in an option such as --allow-path, or set APOD_TOOLS_CONFINEMENT=false
                """
            ),
        ]
        for (failure, expected) in rows { #expect(summary(failure) == expected) }
    }
}
