import Libc
import Support

/// The folders for data that must not outlast the user's session or must not be on a disk:
/// ```
/// $XDG_RUNTIME_DIR/apod-tools           caches in memory, one per root and scope (`MemoryPlace`), and the file
///                                       `use` (`MemoryUse`); else /dev/shm/apod-tools-<uid>
/// $XDG_RUNTIME_DIR/apod-tools-bypass    ephemeral files; else /dev/shm/apod-tools-bypass-<uid>,
///                                       else the same name in $TMPDIR or /tmp
/// ```
/// All have mode 0700 and belong to this user (`PrivateFolder`). Creating this value does not access the file system.
public struct RuntimePlaces: Sendable {
    /// Candidates for caches in memory, the best first. Caches may exist in any of them.
    package let memory: [String]
    /// Candidates for ephemeral files, the best first.
    package let ephemeral: [String]
}

extension RuntimePlaces {
    public init(environment: Environment) {
        let user = geteuid()
        let runtime = environment.folder("XDG_RUNTIME_DIR").map { [Self.trimmed($0)] } ?? []
        let temporary = environment.folder("TMPDIR").map(Self.trimmed) ?? "/tmp"
        memory = runtime.map { "\($0)/apod-tools" } + ["/dev/shm/apod-tools-\(user)"]
        ephemeral =
            runtime.map { "\($0)/apod-tools-bypass" }
            + ["/dev/shm", temporary].map { "\($0)/apod-tools-bypass-\(user)" }
    }

    private static func trimmed(_ path: String) -> String {
        path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// Returns the first usable folder for caches in memory, creating it if necessary. Throws `CacheFailure.noMemory`.
    package func memoryFolder() throws -> String {
        #if canImport(Darwin)
        throw CacheFailure.noMemory(reason: "this system has no memory-backed folders")
        #else
        return try first(of: memory) { folder in
            PrivateFolder.isInMemory(folder) ? nil : "\(folder.path) is not in memory"
        } else: {
            CacheFailure.noMemory(reason: $0)
        }.path
        #endif
    }

    /// Returns the folder for the file of `MemoryUse`: the folder for caches in memory, or the folder for ephemeral
    /// files if memory is unavailable. Throws `CacheFailure.noRuntimeFolder`.
    func ledgerFolder() throws -> String { try (try? memoryFolder()) ?? ephemeralFolder().path }

    /// Opens the first usable folder for ephemeral files, creating it if necessary. Throws
    /// `CacheFailure.noRuntimeFolder`.
    package func ephemeralFolder() throws -> Folder {
        try first(of: ephemeral, refusal: { _ in nil }, else: { CacheFailure.noRuntimeFolder(reason: $0) })
    }

    private func first(
        of places: [String], refusal: (Folder) -> String?, else failure: (String) -> CacheFailure
    ) throws -> Folder {
        var reasons: [String] = []
        for place in places {
            do {
                let folder = try PrivateFolder.open(place, making: true)
                guard let reason = refusal(folder) else { return folder }
                // Remove the folder if it was just created. `rmdir` fails if it has contents.
                place.withPathPointer { _ = rmdir($0) }
                reasons.append(reason)
            } catch let failure as UnsafePath {
                reasons.append("\(failure.path) is not safe: \(failure.reason)")
            } catch let failure as SystemFailure {
                reasons.append("\(place): \(systemMessage(failure.errno))")
            }
        }
        throw failure(reasons.joined(separator: "; "))
    }

    /// Returns the folder for caches in memory that contains a path. Neither needs to exist.
    package func memoryFolder(of path: String) -> String? { memory.first { Self.contains($0, path) } }

    /// Whether a path is in a folder for ephemeral files.
    package func isEphemeral(_ path: String) -> Bool { ephemeral.contains { Self.contains($0, path) } }

    private static func contains(_ folder: String, _ path: String) -> Bool {
        path.utf8.starts(with: folder.utf8) && path.utf8.dropFirst(folder.utf8.count).first == UInt8(ascii: "/")
    }

    /// Returns the same places with the symbolic links in their parent folders resolved.
    package var resolved: RuntimePlaces {
        func resolve(_ path: String) -> String {
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
                let found = resolvedPath(String(path[..<slash]))
            else { return path }
            return found + String(path[slash...])
        }
        return RuntimePlaces(memory: memory.map(resolve), ephemeral: ephemeral.map(resolve))
    }
}

/// The name of an ephemeral file.
struct EphemeralName: Equatable {
    let end: Timestamp
    let token: String
    let fileExtension: String

    static let partial = "part"

    func path(in folder: String) -> String { "\(folder)/\(max(0, end.milliseconds))-\(token).\(fileExtension)" }
}

extension EphemeralName {
    init?(_ name: String) {
        guard let dash = name.firstIndex(of: "-"), let dot = name.lastIndex(of: "."), dash < dot,
            let end = Int64(name[..<dash]), end >= 0
        else { return nil }
        token = String(name[name.index(after: dash)..<dot])
        fileExtension = String(name[name.index(after: dot)...])
        guard token.utf8.isName else { return nil }
        self.end = Timestamp(milliseconds: end)
    }
}

extension RuntimePlaces {
    /// The maximum number of names read per folder in a run that stores no ephemeral files. Reading them takes about
    /// 0.3 ms. Other runs read all names.
    private static let nameLimit = 2048

    /// Removes ephemeral files whose lease has expired, and partial files of killed runs. Every run of every tool calls
    /// this method; if the folders are missing, the cost is one system call per folder. A process that has opened a
    /// file can still read it. The next run retries files that cannot be removed.
    public func sweep(now: Timestamp = .now()) {
        for folder in ephemeral { Self.sweep(folder, now: now, nameLimit: Self.nameLimit) }
    }

    package static func sweep(_ path: String, now: Timestamp, nameLimit: Int = .max) {
        guard let folder = try? Folder(resolved: path), (try? folder.status().owner) == geteuid(),
            let names = try? folder.names(atMost: nameLimit)
        else { return }
        for name in names {
            guard let parts = EphemeralName(name),
                parts.end <= now || isDatedAhead(folder.path(of: name)),
                parts.fileExtension != EphemeralName.partial || isAbandoned(name, in: folder)
            else { continue }
            folder.remove(name)
        }
    }

    /// Whether a file's modification time is in the future: the clock was set back since then, and the lease could last
    /// for years.
    private static func isDatedAhead(_ path: String) -> Bool {
        guard let status = try? FileStatus(at: path, followingLinks: false) else { return false }
        return status.modified > .now() + Clock.tolerance
    }

    /// Whether no process is writing the file: writers hold an `flock` on it.
    private static func isAbandoned(_ name: String, in folder: Folder) -> Bool {
        (try? folder.open(name, O_RDWR).lock(LOCK_EX | LOCK_NB)) == true
    }
}
