import CCodecs
import Support

/// Makes what a whole picture took go back to the system with the picture, so that a run's memory is that of the
/// pictures under way. For a process that works on many, to be called before its threads are started.
public func returnLargeBlocks() { apod_return_large_blocks() }

/// The memory that all pictures of a run may take together if a format forces much of a picture into it.
///
/// A picture reserves before it takes memory, and waits while others hold too much. Two pictures that hold some and
/// want more could wait for each other for ever, so these rules apply:
///
/// * A picture that holds nothing waits in the order of coming, behind those that hold some.
/// * A picture that holds some and wants more waits while any of the others that hold some goes on: that one will end
///   and free what it holds. If all of them wait, the one that asked first is let through, and the sum is over the
///   total by what it asked for until another has ended.
/// * What one picture asks for, with what it holds, is never over the total: that is refused at once, whatever the
///   others hold, so that a picture's outcome doesn't depend on them.
public final class MemoryBudget: Sendable {
    /// Bytes that may be held at a time.
    public let total: Int
    private let state = Monitor(State())

    private struct State {
        /// What each picture holds; never 0. As few as there are threads.
        private var held: [(picture: Int, bytes: Int)] = []
        /// Pictures that hold nothing and wait, in order.
        var beginning: [Int] = []
        /// Pictures that hold some and wait for more, in order.
        var growing: [Int] = []
        var pictures = 0
        var used = 0

        func held(by picture: Int) -> Int { held.first { $0.picture == picture }?.bytes ?? 0 }

        /// Adds to what a picture holds; less than 0 to free it.
        mutating func hold(_ bytes: Int, for picture: Int) {
            if bytes == 0 { return }
            used += bytes
            guard let place = held.firstIndex(where: { $0.picture == picture }) else {
                return held.append((picture, bytes))
            }
            held[place].bytes += bytes
            if held[place].bytes <= 0 { held.remove(at: place) }
        }

        mutating func stopWaiting(_ picture: Int) {
            if let place = beginning.firstIndex(of: picture) { beginning.remove(at: place) }
            if let place = growing.firstIndex(of: picture) { growing.remove(at: place) }
        }

        func isTurn(of picture: Int, for bytes: Int, total: Int) -> Bool {
            if used + bytes <= total {
                return held(by: picture) > 0 || growing.isEmpty && beginning.first == picture
            }
            return growing.first == picture && held.allSatisfy { growing.contains($0.picture) }
        }
    }

    public init(bytes total: Int = DecodeLimits.standard.maxMemoryBytes) { self.total = total }

    /// Bytes that are held now.
    public var used: Int { state.withLock { $0.used } }

    /// Pictures that wait now.
    var waiting: Int { state.withLock { $0.beginning.count + $0.growing.count } }

    /// A number for a picture that is going to reserve.
    func newPicture() -> Int {
        state.withLock { state in
            state.pictures += 1
            return state.pictures
        }
    }

    /// Waits until the picture may hold as many bytes more. Throws `.tooMuchMemory` if it never may, and
    /// `Cancelled`.
    func reserve(_ bytes: Int, for picture: Int, interruption: Interruption) throws -> MemoryReservation {
        let bytes = max(bytes, 0)
        try state.withLock { state throws in
            let (sum, overflow) = bytes.addingReportingOverflow(state.held(by: picture))
            guard !overflow, sum <= total else {
                throw ImageError.tooMuchMemory(bytes: overflow ? .max : sum, limit: total)
            }
            if state.held(by: picture) == 0 { state.beginning.append(picture) } else { state.growing.append(picture) }
        }
        // Another may wait for just this: that all of those which hold some wait.
        state.update { _ in }
        defer { state.update { $0.stopWaiting(picture) } }
        while true {
            // A pause, after which to look whether the run is being stopped.
            let isGranted = state.wait(atMost: .milliseconds(50)) { state -> Bool? in
                guard state.isTurn(of: picture, for: bytes, total: self.total) else { return nil }
                state.stopWaiting(picture)
                state.hold(bytes, for: picture)
                return true
            }
            if isGranted != nil { return MemoryReservation(self, bytes, picture) }
            try interruption.check()
        }
    }

    /// Counts bytes without waiting, also over the total.
    func count(_ bytes: Int, for picture: Int) throws -> MemoryReservation {
        let bytes = max(bytes, 0)
        guard bytes <= total else { throw ImageError.tooMuchMemory(bytes: bytes, limit: total) }
        state.update { $0.hold(bytes, for: picture) }
        return MemoryReservation(self, bytes, picture)
    }

    fileprivate func free(_ bytes: Int, of picture: Int) {
        if bytes > 0 { state.update { $0.hold(-bytes, for: picture) } }
    }
}

/// Memory that a picture may take for as long as this lives.
public final class MemoryReservation: Sendable {
    public let bytes: Int
    private let budget: MemoryBudget
    private let picture: Int

    fileprivate init(_ budget: MemoryBudget, _ bytes: Int, _ picture: Int) {
        self.budget = budget
        self.bytes = bytes
        self.picture = picture
    }

    deinit { budget.free(bytes, of: picture) }
}
