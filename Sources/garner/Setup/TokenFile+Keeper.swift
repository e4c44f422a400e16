import Fetcher
import Persistence

extension TokenFile: TokenKeeper {}
