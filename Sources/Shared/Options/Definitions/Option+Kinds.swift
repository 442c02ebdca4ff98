import Support

/// Factories for the common kinds of options.
extension Option where Value == Bool {
    /// An option without a value.
    ///
    /// - Parameters:
    ///   - means: the value if the flag is given. False for a flag that turns a setting off.
    ///   - isNegatable: whether the tool also accepts `--no-NAME`.
    ///   - standard: the value without the flag. By default, the opposite of `means`.
    public static func flag(
        _ name: String, short: Character? = nil, _ group: OptionGroup = .own, means: Bool = true,
        isNegatable: Bool = false, default standard: Bool? = nil, field: String? = nil, summary: String,
        manual: String = ""
    ) -> DefaultedOption<Bool> {
        Option(
            name, short: short, form: .flag(means: means, isNegatable: isNegatable), expected: "true or false",
            group: group, field: field, summary: summary, manual: manual, read: Bool.init
        ).defaulting(to: standard ?? !means)
    }
}

extension Option where Value == String {
    public static func text(
        _ name: String, _ valueName: String, _ group: OptionGroup = .own, completion: Completion = .none,
        repeats: Bool = false, summary: String, manual: String = ""
    ) -> Option {
        Option(
            name, form: .value(valueName), expected: "a text", completion: completion, group: group, repeats: repeats,
            summary: summary, manual: manual
        ) { $0 }
    }

    /// An option that takes the path of a file or folder. An empty path is invalid.
    public static func path(
        _ name: String, short: Character? = nil, _ group: OptionGroup = .own, as valueName: String = "FILE",
        isFolder: Bool = false, variable: String? = nil, field: String? = nil, summary: String, manual: String = ""
    ) -> Option {
        Option(
            name, short: short, form: .value(valueName), expected: isFolder ? "a folder" : "a file",
            completion: isFolder ? .folders : .files, group: group, variable: variable, field: field,
            summary: summary, manual: manual
        ) { $0.isEmpty ? nil : $0 }
    }

    public static func word(
        _ name: String, _ valueName: String, _ group: OptionGroup = .own, of words: [String], variable: String? = nil,
        field: String? = nil, summary: String, manual: String = ""
    ) -> Option {
        Option(
            name, form: .value(valueName), choices: { words }, group: group, variable: variable, field: field,
            summary: summary, manual: manual
        ) { words.contains($0) ? $0 : nil }
    }
}

extension Option where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// An option that takes the raw value of an enumeration's case.
    public static func `case`(
        _ name: String, _ valueName: String, _ group: OptionGroup = .own, field: String? = nil, summary: String,
        manual: String = ""
    ) -> Option {
        Option(
            name, form: .value(valueName), choices: { Value.allCases.map(\.rawValue) }, group: group, field: field,
            summary: summary, manual: manual, print: { $0.rawValue }, read: { Value(rawValue: $0) })
    }
}

extension Option where Value == Int {
    public static func number(
        _ name: String, short: Character? = nil, _ group: OptionGroup = .own, as valueName: String = "N",
        in range: ClosedRange<Int>, of unit: String = "a number", field: String? = nil, summary: String
    ) -> Option {
        let end = range.upperBound == .max ? "on" : "to \(range.upperBound)"
        return Option(
            name, short: short, form: .value(valueName), expected: "\(unit) from \(range.lowerBound) \(end)",
            group: group, field: field, summary: summary
        ) { Int($0).flatMap { range.contains($0) ? $0 : nil } }
    }

    /// An option that takes a number of bytes, such as `200MB`.
    public static func size(
        _ name: String, _ group: OptionGroup = .own, atLeast least: Int = 0, such example: String,
        field: String? = nil, summary: String, manual: String = ""
    ) -> Option {
        Option(
            name, form: .value("SIZE"),
            expected: "a size such as \(example)" + (least > 0 ? ", at least \(ByteCount.description(least))" : ""),
            group: group, field: field, summary: summary, manual: manual, print: ByteCount.text
        ) { ByteCount.parse($0).flatMap { $0 >= least ? $0 : nil } }
    }
}

extension Option where Value == Double {
    public static func decimal(
        _ name: String, _ valueName: String, _ group: OptionGroup = .own, in range: ClosedRange<Double>,
        expected: String, field: String? = nil, summary: String
    ) -> Option {
        Option(
            name, form: .value(valueName), expected: expected, group: group, field: field, summary: summary,
            print: { Int(exactly: $0).map { "\($0)" } ?? "\($0)" }
        ) { Double($0).flatMap { range.contains($0) ? $0 : nil } }
    }
}

extension Option where Value == Duration {
    /// An option that takes a duration, such as `90s`.
    public static func time(
        _ name: String, _ group: OptionGroup = .own, such example: String, field: String? = nil,
        isPositive: Bool = false, summary: String, manual: String = ""
    ) -> Option {
        Option(
            name, form: .value("TIME"), expected: "a duration such as \(example)", group: group, field: field,
            summary: summary, manual: manual, print: TimeSpan.text
        ) { TimeSpan.parse($0).flatMap { isPositive && $0 <= .zero ? nil : $0 } }
    }
}
