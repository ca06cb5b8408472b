/** Marks beside the names of sponsors. The specification has no colours of theirs; each is legible in both themes. */
export const SPONSOR_COLOURS = ['blue', 'green', 'red', 'violet', 'teal', 'brown', 'pink', 'grey'] as const
export type SponsorColour = (typeof SPONSOR_COLOURS)[number]

/** The colour of a sponsor that the profile gives none: the same for a code at every lane and every time. */
export function colourOfSponsor(code: string): SponsorColour {
  // FNV-1a over UTF-16 units: short codes that differ in one letter fall apart.
  let hash = 0x811c9dc5
  for (let at = 0; at < code.length; at += 1) hash = Math.imul(hash ^ code.charCodeAt(at), 0x01000193) >>> 0
  return SPONSOR_COLOURS[hash % SPONSOR_COLOURS.length] ?? 'grey'
}
