import Support

/// Buffers records and writes them in few system calls. Escapes control characters on a terminal. Not thread-safe: the
/// owner holds a lock.
struct RecordOutput {
    /// The default capacity of a pipe on Linux, large enough to make the cost of a system call small.
    private static let batchSize = 64 << 10

    private let output: TextOutput
    private let layout: RecordLayout
    private let progress: Progress
    private var pending: [UInt8] = []
    /// The number of records that lack the fields or the text that `layout` prints. Excludes failed records, which are
    /// already reported.
    private(set) var missing = 0
    private var hasBegun = false
    private var needsSeparator = false
    /// Set when the reader closes the output; all further records are dropped.
    private(set) var isClosed = false
    /// Why writing failed, except for a closed pipe.
    private(set) var failure: SystemFailure?

    /// Whether writing is no longer possible.
    var isOver: Bool { isClosed || failure != nil }

    init(file: File, layout: RecordLayout, progress: Progress) {
        output = TextOutput(file)
        self.layout = layout
        self.progress = progress
        pending.reserveCapacity(Self.batchSize + 4096)
    }

    /// Appends the part of a record that the layout prints. If the record lacks this part, adds its error, or status
    /// 65, to `tally` instead.
    mutating func append(_ record: Record, tally: inout ExitTally) {
        let start = pending.count
        switch layout {
        case .lines, .indented:
            if case .lines = layout { pending += record.line } else { JSONBytes.indent(record.line, into: &pending) }
            output.escape(&pending, from: start, as: .json)
            pending.append(UInt8(ascii: "\n"))
        case .fields(let paths, let terminator):
            if record.appendValues(at: paths, to: &pending) {
                // A single value that is not a string, such as an object, is printed as JSON.
                let isJSON = paths.count == 1 && record.string(paths[0]) == nil
                output.escape(&pending, from: start, as: isJSON ? .json : .plain)
                pending.append(terminator)
            } else {
                note(missingIn: record, &tally)
            }
        case .text(let text):
            begin(text)
            if let rendered = text.render(record) {
                if needsSeparator { pending += text.separator.utf8 }
                needsSeparator = true
                pending += rendered.utf8
                pending.append(UInt8(ascii: "\n"))
                escape(text, from: start)
            } else {
                note(missingIn: record, &tally)
            }
        }
        if pending.count >= Self.batchSize { flush() }
    }

    /// Writes the foot of a text. Called once, after the last record.
    mutating func finish() {
        guard case .text(let text) = layout else { return }
        begin(text)
        let start = pending.count
        pending += text.foot.utf8
        escape(text, from: start)
        flush()
    }

    private mutating func begin(_ text: RecordText) {
        if hasBegun { return }
        hasBegun = true
        let start = pending.count
        pending += text.head.utf8
        escape(text, from: start)
    }

    private mutating func escape(_ text: RecordText, from start: Int) {
        if !text.isSafeForTerminal { output.escape(&pending, from: start, as: .plain) }
    }

    private mutating func note(missingIn record: Record, _ tally: inout ExitTally) {
        if !record.hasError { missing += 1 }
        record.addError(to: &tally)
    }

    mutating func flush() {
        guard !pending.isEmpty else { return }
        defer { pending.removeAll(keepingCapacity: true) }
        if isOver { return }
        do {
            try progress.clearingProgressLine { () throws(SystemFailure) in try output.write(safe: pending) }
        } catch {
            if error.isBrokenPipe { isClosed = true } else { failure = error }
        }
    }
}

extension Record {
    /// Appends the values at the paths as `RecordLayout.fields` specifies. Appends nothing and returns false if all are
    /// missing.
    fileprivate func appendValues(at paths: [FieldPath], to bytes: inout [UInt8]) -> Bool {
        if paths.count == 1 {
            guard let value = printableBytes(paths[0]) else { return false }
            bytes += value
            return true
        }
        let values = paths.map(printableBytes)
        if values.allSatisfy({ $0 == nil }) { return false }
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\t")) }
            for byte in value ?? [] {
                // The escapes of jq's `@tsv`.
                switch byte {
                case UInt8(ascii: "\t"): bytes += "\\t".utf8
                case UInt8(ascii: "\n"): bytes += "\\n".utf8
                case UInt8(ascii: "\r"): bytes += "\\r".utf8
                case UInt8(ascii: "\\"): bytes += "\\\\".utf8
                default: bytes.append(byte)
                }
            }
        }
        return true
    }
}
