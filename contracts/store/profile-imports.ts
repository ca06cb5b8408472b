/**
 * Origin of a catalog that was imported from a profile's own file: the file's SHA-256 and its generation; null: another
 * catalog.
 */
export type OfProfile = { readonly hash: string; readonly generation: number } | null

export interface ProfileImports<One> {
  /** For each import: the first import of the same profile, or the import itself. */
  readonly firstOf: ReadonlyMap<One, One>
  /** The first import of the newest profile, which is the one with the highest generation; null: none. */
  readonly newest: One | null
}

/**
 * Groups imports (in the order of their stamps) that come from the same profile. Lanes apply a profile by themselves,
 * one after the other, and count generations from the imports that they know; a lane without connection counts too few.
 * A repeated file therefore counts as the same profile if it is the file of the newest profile, or if its generation is
 * not higher than before. A catalog that was restored in between (an undone bundle) is a group of its own.
 */
export function groupProfileImports<One>(
  imports: readonly One[],
  profileOf: (one: One) => OfProfile,
): ProfileImports<One> {
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
