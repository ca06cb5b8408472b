import type { Setting } from '../../../contracts/api/settings.ts'
import { csvFile } from '../../../contracts/csv.ts'

const HEADER = ['setting', 'profile', 'lane', 'since', 'by', 'planned']

/** What is another than the profile says, or is going to be. */
export const differing = (settings: readonly Setting[]): Setting[] =>
  settings.filter(({ differs, planned }) => differs || planned.length > 0)

const written = (value: Setting['value']): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** The differences as a file; `facts`: whose they are. */
export function differencesFile(
  format: 'csv' | 'json',
  settings: readonly Setting[],
  facts: { readonly store: string; readonly lane: string; readonly exportedAt: string },
): string {
  const rows = differing(settings)
  if (format === 'json') {
    const named = rows.map(({ name, profile, value, change, planned }) => ({ name, profile, value, change, planned }))
    return `${JSON.stringify({ ...facts, settings: named }, null, 2)}\n`
  }
  return csvFile(
    HEADER,
    rows.map(({ name, profile, value, differs, change, planned }) => [
      name,
      written(profile),
      written(value),
      differs ? (change?.from ?? '') : '',
      differs ? (change?.by ?? '') : '',
      planned.map(({ from, value: next, by }) => `${from} ${written(next)} (${by})`).join('; '),
    ]),
  )
}
