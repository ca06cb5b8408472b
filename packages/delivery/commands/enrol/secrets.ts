import type { Localized } from '../../../../contracts/core/locales.ts'
import type { TableCell } from '../../../../contracts/core/profile-check.ts'
import type { ProfileChecker } from '../check-profile.ts'
import type { Store } from './stores.ts'
import { EnrolError, joined, refused, wordsOfMistake } from './options.ts'
import { randomInt } from 'node:crypto'
import { isCommonPin } from '../../../../contracts/staff/common-pin.ts'
import type { EnrolmentPayload } from '../../../../contracts/operations/enrolment.ts'

/** The client secret of a lane: its own, else its store's; null where there is neither. */
export type SecretOf = (store: string, lane: string) => string | null

export interface ReadSecrets {
  readonly secretOf: SecretOf
  /** What is wrong with rows, a text each. */
  readonly problems: readonly Localized[]
  /** Stores of which a row cannot be used: they get no codes. */
  readonly leftOut: ReadonlySet<string>
}

export const noSecrets: ReadSecrets = { secretOf: () => null, problems: [], leftOut: new Set() }
const COLUMNS = ['store', 'lane', 'secret']

/**
 * A CSV with the columns store, lane and secret; without a lane the row is for all of its store. A row that cannot be
 * used is named, and stops no other store. Throws EnrolError for a file that is no such table, or of which nobody can
 * say where a row ends.
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
  // Behind a quote that is not closed, rows of other stores are missing.
  if (mistakes.some(({ line }) => line === null || line > lastLine))
    throw new EnrolError(joined(mistakes.map(wordsOfMistake)))
  if (COLUMNS.some((name) => !names.includes(name))) throw refused('secretsHead', { file, columns: COLUMNS.join(',') })
  const secrets = new Map<string, string>()
  const problems = mistakes.map(wordsOfMistake)
  const leftOut = new Set<string>()
  const isNamed = (cells: readonly TableCell[]): boolean => mistakes.some(({ line }) => line === cells[0]?.line)
  for (const cells of records) {
    const [store = '', lane = '', secret = ''] = COLUMNS.map((name) => cells[names.indexOf(name)]?.text.trim() ?? '')
    const key = keyOf(store, lane)
    const problem = isNamed(cells) ? null : problemOf({ store, lane, secret }, stores, secrets.has(key))
    if (problem !== null)
      problems.push(refused(problem, { at: `${file}:${cells[0]?.line ?? 0}`, store, lane }).messages)
    if (problem === null && !isNamed(cells)) secrets.set(key, secret)
    else leftOut.add(store)
  }
  return {
    secretOf: (store, lane) => secrets.get(keyOf(store, lane)) ?? secrets.get(keyOf(store, '')) ?? null,
    problems,
    leftOut,
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

/** Digits of a one-time PIN, where the store asks for no more. */
const DIGITS = 6

/** A one-time PIN for everybody of a store, none that a thief tries first and none twice. */
export function makePins({ staff, limits }: Pick<Store, 'staff' | 'limits'>): EnrolmentPayload['pins'] {
  const digits = Math.max(DIGITS, limits.pinDigits)
  const given = new Set<string>()
  return staff.map(({ id }) => {
    for (;;) {
      const pin = String(randomInt(10 ** digits)).padStart(digits, '0')
      if (given.has(pin) || isCommonPin(pin)) continue
      given.add(pin)
      return { staff: id, pin }
    }
  })
}
