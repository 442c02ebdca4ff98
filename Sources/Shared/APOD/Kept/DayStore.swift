import Support

/// Where the services' answers are kept from run to run.
///
/// What goes wrong with it is its own affair, since a day can be had without it; it throws only what must end the run,
/// such as `ConfigurationFailure` for a cache of a newer layout, and `Cancelled`. Called from several threads at once.
public protocol DayStore: Sendable {
    /// Returns what is kept of a service's days from `first` to `last`, ascending; expired ones among it. Throws a
    /// failure that ends the run.
    func days(from first: CalendarDay, through last: CalendarDay, of service: Service) throws -> [KeptDay]
    /// Returns the latest picture that is kept of the days up to `last`; expired ones count. Throws a failure
    /// that ends the run.
    func newestPicture(through last: CalendarDay, of service: Service) throws -> KeptDay?
    /// Keeps all of it at once. Throws a failure that ends the run.
    func keep(_ days: [KeptDay], of service: Service) throws
}
