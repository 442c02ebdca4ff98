extension Duration {
    /// Whole milliseconds, rounded towards zero; saturates.
    public var milliseconds: Int64 { count(perSecond: 1000) }

    /// Whole microseconds, rounded towards zero; saturates.
    public var microseconds: Int64 { count(perSecond: 1_000_000) }

    /// Fractional seconds, for rates.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    private func count(perSecond: Int64) -> Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: perSecond)
        if overflow { return seconds < 0 ? .min : .max }
        return product.addingReportingOverflow(attoseconds / (1_000_000_000_000_000_000 / perSecond)).partialValue
    }
}
