import Formats
import Libc
import Records
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// The words of all failures of the cache and its commands.
@Suite struct FailureMessageTests {
    @Test func everyFailureOfTheCacheHasASubjectAndARemedy() {
        let denied = systemMessage(EACCES)
        let rows: [(CacheFailure, String)] = [
            (.absent(key: "k"), "1 not-cached: not in the cache: k"),
            (
                .offline(key: "k"),
                "75 offline: k is not in the cache, or has expired; try again without --offline"
            ),
            (.badScope(reason: "R"), "65 bad-scope: invalid scope name: R"),
            (.badKey(reason: "R"), "65 bad-key: invalid key: R"),
            (
                .newerLayout(found: 9, supported: 7, root: "/r"),
                """
                78 newer-layout: the cache at /r has layout 9, but this version supports at most 7; use newer tools \
                or another --cache-dir
                """
            ),
            (
                .noRoot,
                """
                78 cache-root: no folder for the cache; set HOME or XDG_CACHE_HOME to an absolute path, or name a \
                folder with --cache-dir
                """
            ),
            (
                .cannotMakeRoot(path: "/r", errno: EACCES),
                "73 cache-root: cannot open or create the cache folder /r: \(denied); choose another with --cache-dir"
            ),
            (
                .foreignRoot(path: "/r", owner: 7, user: 8),
                """
                78 foreign-root: the cache at /r belongs to user 7, and you are user 8; choose another with \
                --cache-dir, and share pictures with --remote file:///FOLDER
                """
            ),
            (
                .notACache(root: "/r"),
                "78 not-a-cache: /r is not a cache; name an empty folder with --cache-dir"
            ),
            (
                .rootRemoved(path: "/r"),
                "75 root-removed: the cache folder /r was removed during the run; try again"
            ),
            (
                .readOnly(root: "/r"),
                "73 cache-read-only: the cache at /r is read-only; choose another with --cache-dir"
            ),
            (.diskFull(root: "/r"), "74 disk-full: the disk is full; free some space for the cache at /r"),
            (.io(detail: "D", root: "/r"), "74 cache-io: cannot read or write the cache at /r: D"),
            (
                .io(detail: "D", root: "/r", errno: EACCES),
                """
                74 cache-io: cannot read or write the cache at /r: D: \(denied); check the permissions of the file \
                and the folders above it
                """
            ),
            (
                .replaced(root: "/r"),
                "74 cache-io: cannot read or write the cache at /r: its folder was removed repeatedly"
            ),
            (
                .indexDamaged(detail: "D", root: "/r"),
                """
                74 cache-damaged: the index of the cache at /r is damaged and could not be replaced: D; check the \
                disk, then run img-cache verify
                """
            ),
            (
                .busy(root: "/r", process: 7),
                """
                75 cache-busy: process 7 has locked the index of the cache at /r; resume or end it, then try again
                """
            ),
            (.busy(root: "/r"), "75 cache-busy: the cache at /r is busy; try again later"),
            (
                .stalled(process: 7, work: "is downloading it", since: Timestamp(milliseconds: 0)),
                """
                75 holder-stalled: process 7 is downloading it and has made no progress since 1970-01-01T00:00:00Z; \
                resume or end that process, then try again
                """
            ),
            (
                .stalled(process: nil, work: "is maintaining the cache", since: Timestamp(milliseconds: 0)),
                """
                75 holder-stalled: another process is maintaining the cache and has made no progress since \
                1970-01-01T00:00:00Z; resume or end that process, then try again
                """
            ),
            (
                .scopeChanged(scope: "s"),
                """
                75 scope-changed: the scope s was emptied, or another scope became current, during the run; try again
                """
            ),
            (
                .noMemory(reason: "R"),
                """
                73 no-memory-folder: there is no memory-backed folder for the policy memory (R); set \
                XDG_RUNTIME_DIR, or use another --policy
                """
            ),
            (
                .memoryFull(limit: 9),
                """
                75 memory-full: the pictures in memory would exceed the 9 bytes of memory_capacity; try again after \
                their leases have expired, or raise memory_capacity in the configuration file
                """
            ),
            (
                .noRuntimeFolder(reason: "R"),
                """
                73 no-runtime-folder: there is no private folder for files outside the cache (R); set \
                XDG_RUNTIME_DIR or TMPDIR
                """
            ),
            (.fault(detail: "D"), "70 internal: unexpected fault in the cache: D"),
        ]
        for (failure, expected) in rows { #expect(summary(failure) == expected) }
    }

    @Test func everyFailureOfACommandHasASubjectAndARemedy() throws {
        let video = try Record(parsing: #"{"media_type":"video"}"#.utf8)
        var entry = Entry(name: "n", scope: .standard)
        entry.expiresAt = Timestamp(milliseconds: 0)
        let rows: [(any Failure, String)] = [
            (
                OutputFailure.taken(path: "a.jpg"),
                "73 output-collision: another picture of this run has the name a.jpg; use another --name-template"
            ),
            (
                OutputFailure.differs(path: "a.jpg"),
                """
                73 output-collision: a.jpg already exists and is a different file; move it, use another \
                --name-template, or replace it with --overwrite
                """
            ),
            (
                OutputFailure.edited(path: "a.jpg"),
                """
                73 output-collision: a.jpg was modified after it was copied, and is kept; use --overwrite to replace it
                """
            ),
            (
                OutputFailure.link(path: "a.jpg"),
                """
                73 unsafe-output: a.jpg is a link or not a regular file; move it, or use another --name-template
                """
            ),
            (
                NoPicture(),
                """
                69 no-picture: the record contains no picture address; use --field url=FIELDS to name other fields
                """
            ),
            (
                NoPicture(in: video),
                """
                69 no-picture: the record is a video without a still; use img-downsample --fallback for a \
                placeholder, or apod-fetch --fallback-previous for the previous picture
                """
            ),
            (
                BadExpiryField(field: "ttl", text: "soon"),
                """
                65 bad-expiry: ttl must be a duration such as 7d, a day such as 2026-12-31 or a time such as \
                2026-12-31T18:00:00Z, not "soon"
                """
            ),
            (
                ExpiredEntry(entry, key: "k"),
                "1 not-cached: k expired at 1970-01-01T00:00:00Z, and --no-stale is set"
            ),
            (
                NegativeAnswer(
                    code: "gone", exitCode: .unavailable, text: "T", since: Timestamp(milliseconds: 0),
                    until: Timestamp(milliseconds: 60_000)),
                """
                69 gone: T (failed at 1970-01-01T00:00:00Z, cached until 1970-01-01T00:01:00Z; use --refresh to try \
                again)
                """
            ),
            (NamedFailure("a.jpg", FormatFailure.empty), "65 empty-body: a.jpg: no data"),
            (RemoteDamage.anotherDigest, "65 remote-damaged: the bytes have a different SHA-256"),
            (RemoteDamage.anotherPicture, "65 remote-damaged: the picture differs from its document"),
        ]
        for (failure, expected) in rows { #expect(summary(failure) == expected) }
    }

    @Test(arguments: [
        ("", "it is empty"), (String(repeating: "a", count: 2000), "it has more than 255 bytes"),
        ("a\u{7}", "it has control characters"), (String(pathBytes: [0x61, 0xFF]), "it is not UTF-8"),
    ])
    func everyFaultOfANameIsStated(text: String, fault: String) {
        #expect(message { _ = try ScopeName(text) } == "65 invalid scope name: \(fault)")
        #expect(message { _ = try CacheKey(name: text) } == "65 invalid key: \(fault.replacing("255", with: "1024"))")
    }
}
