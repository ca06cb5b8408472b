/**
 * The part of a list that one page shows, and how many pages there are. `page` counts from 0; one beyond the last shows
 * the last.
 */
export function pageOf<Entry>(
  entries: readonly Entry[],
  page: number,
  size: number,
): { readonly shown: readonly Entry[]; readonly page: number; readonly pages: number } {
  const pages = Math.max(1, Math.ceil(entries.length / size))
  const at = Math.min(Math.max(page, 0), pages - 1)
  return { shown: entries.slice(at * size, (at + 1) * size), page: at, pages }
}
