/// What the service does about a wish for a run.
package enum TakenWish: Sendable, Equatable {
    /// A run will begin for it.
    case accepted
    /// A run that was wanted before serves it, too; its number where it has begun.
    case joined(run: Int64?)
    /// The same was wanted before, and that run is over.
    case ended(run: Int64)
}
