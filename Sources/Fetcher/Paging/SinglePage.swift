/// The first page is all there is.
struct SinglePage: PageFollower {
    func next(after page: ReceivedPage) -> NextPage? { nil }
}
