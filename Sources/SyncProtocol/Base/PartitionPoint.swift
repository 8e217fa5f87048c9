extension Range where Bound == Int {
  /// Binary search: the first number that a condition does not hold for, or the upper bound if it
  /// holds for all. It must hold for a prefix of the range only.
  func partitionPoint(where isBefore: (Int) -> Bool) -> Int {
    var low = lowerBound
    var high = upperBound
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
