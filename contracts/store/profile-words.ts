/** Of a catalog that was imported from a profile's own file: that file's SHA-256 and its generation; null: another. */
export type OfProfile = { readonly hash: string; readonly generation: number } | null

export interface ProfileWords<One> {
  /** By import the one from which it counts: itself, or the first of the same word. */
  readonly firstOf: ReadonlyMap<One, One>
  /** The profile that lanes took over last: of the highest generation the latest; null: none was. */
  readonly newest: One | null
}

/**
 * Which of a store's imports, in the order of their stamps, are one word. Lanes take a profile over by themselves, one
 * after the other, and each counts generations by what it has heard until then: one that was cut off counts too few. So
 * a file that comes again is the same word where it is the newest profile's, or is told with no higher generation than
 * before. What was brought back meanwhile (an undone bundle) is a word of its own.
 */
export function profileWords<One>(imports: readonly One[], profileOf: (one: One) => OfProfile): ProfileWords<One> {
  const firstOf = new Map<One, One>()
  let newest: One | null = null
  const generationOf = (one: One): number => profileOf(one)?.generation ?? 0
  for (const one of imports) {
    const profile = profileOf(one)
    const isSame = (other: One): boolean => profileOf(other)?.hash === profile?.hash
    const before: One | null | undefined =
      profile === null
        ? null
        : newest !== null && isSame(newest)
          ? newest
          : [...firstOf.keys()].findLast((other) => isSame(other) && generationOf(other) >= profile.generation)
    firstOf.set(one, (before && firstOf.get(before)) ?? one)
    if (profile !== null && !before && profile.generation >= (newest === null ? 0 : generationOf(newest))) newest = one
  }
  return { firstOf, newest }
}
