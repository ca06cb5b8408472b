import type { Localized } from '../../../../contracts/core/locales.ts'
import type { TableCell } from '../../../../contracts/core/profile-check.ts'
import type { ProfileChecker } from '../check-profile.ts'
import type { Store } from './stores.ts'
import { EnrolError, joined, refused, localizedMistake } from './options.ts'
import { randomInt } from 'node:crypto'
import { isCommonPin } from '../../../../contracts/staff/common-pin.ts'
import type { EnrolmentPayload } from '../../../../contracts/operations/enrolment.ts'

/** Returns the client secret of a lane: its own, else its store's; null if there is neither. */
export type SecretOf = (store: string, lane: string) => string | null

export interface ReadSecrets {
  readonly secretOf: SecretOf
  readonly problems: readonly Localized[]
  readonly skipped: ReadonlySet<string>
}

export const noSecrets: ReadSecrets = { secretOf: () => null, problems: [], skipped: new Set() }
const COLUMNS = ['store', 'lane', 'secret']

/**
 * Reads a CSV with the columns store, lane and secret. A row without a lane applies to its whole store. Reports
 * unusable rows and continues with other stores. Throws EnrolError if a column is missing or a quote is not closed.
 */
export async function readSecrets(
  file: string,
  stores: readonly Store[],
  checker: ProfileChecker,
): Promise<ReadSecrets> {
  const { rows, mistakes } = await checker.ask({ kind: 'table', file })
  const [head = [], ...records] = rows
  const names = head.map(({ text }) => text.trim().toLowerCase())
  const lastLine = rows.at(-1)?.[0]?.line ?? 0
  // An unclosed quote is refused, because it hides rows of other stores.
  if (mistakes.some(({ line }) => line === null || line > lastLine))
    throw new EnrolError(joined(mistakes.map(localizedMistake)))
  if (COLUMNS.some((name) => !names.includes(name))) throw refused('secretsHead', { file, columns: COLUMNS.join(',') })
  const secrets = new Map<string, string>()
  const problems = mistakes.map(localizedMistake)
  const skipped = new Set<string>()
  const isNamed = (cells: readonly TableCell[]): boolean => mistakes.some(({ line }) => line === cells[0]?.line)
  for (const cells of records) {
    const [store = '', lane = '', secret = ''] = COLUMNS.map((name) => cells[names.indexOf(name)]?.text.trim() ?? '')
    const key = keyOf(store, lane)
    const problem = isNamed(cells) ? null : problemOf({ store, lane, secret }, stores, secrets.has(key))
    if (problem !== null)
      problems.push(refused(problem, { at: `${file}:${cells[0]?.line ?? 0}`, store, lane }).messages)
    if (problem === null && !isNamed(cells)) secrets.set(key, secret)
    else skipped.add(store)
  }
  return {
    secretOf: (store, lane) => secrets.get(keyOf(store, lane)) ?? secrets.get(keyOf(store, '')) ?? null,
    problems,
    skipped,
  }
}

interface Row {
  readonly store: string
  readonly lane: string
  readonly secret: string
}

function problemOf({ store, lane, secret }: Row, stores: readonly Store[], isThere: boolean) {
  const known = stores.find((one) => one.store.id === store)
  if (!known) return 'secretStore'
  if (lane !== '' && !known.lanes.some(({ id }) => id === lane)) return 'secretLane'
  if (secret === '') return 'secretMissing'
  return isThere ? 'secretTwice' : null
}

const keyOf = (store: string, lane: string): string => `${store}/${lane}`

/** Number of digits of a one-time PIN; more if the store requires longer PINs. */
const DIGITS = 6

/** Creates a one-time PIN for every person of a store: all different, and none easy to guess. */
export function makePins({ staff, limits }: Pick<Store, 'staff' | 'limits'>): EnrolmentPayload['pins'] {
  const digits = Math.max(DIGITS, limits.pinDigits)
  const usedPins = new Set<string>()
  return staff.map(({ id }) => {
    for (;;) {
      const pin = String(randomInt(10 ** digits)).padStart(digits, '0')
      if (usedPins.has(pin) || isCommonPin(pin)) continue
      usedPins.add(pin)
      return { staff: id, pin }
    }
  })
}
