public struct Stream { public init() {} }
