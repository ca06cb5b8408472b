import { accessSync, constants, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Locale } from '../../../../contracts/core/locales.ts'
import { issueCodes, type IssuedCode } from '../../../store-server/enrolment/issue.ts'
import type { Postgres } from '../../../store-server/db/postgres.ts'
import { listCodes } from '../../../store-server/enrolment/enrolment.sql.ts'
import type { ProfileChecker } from '../check-profile.ts'
import { mayBecomeFolder } from '../../../../scripts/command-line.ts'
import {
  EnrolError,
  type Say,
  type Values,
  type Which,
  addressOf,
  fingerprintFor,
  hoursOf,
  isOf,
  joined,
  lanesOf,
  needed,
  refused,
  storeServerOf,
} from './options.ts'
import { makePins, noSecrets, readSecrets } from './secrets.ts'
import { removeWaste, takeBack, writeSheets } from './sheet.ts'
import { type Store, isInUse, readStores, stateOf } from './stores.ts'

/** What a command works on, and how it speaks. */
export interface Order {
  readonly postgres: Postgres
  readonly values: Values
  readonly say: Say
  readonly locale: Locale
}

/**
 * Makes codes for all lanes, or for those that are named, and their sheets; says what there is to know of them. Returns
 * the exit code: 1 where stores were left out because of what is wrong with their profiles or secrets.
 */
export async function issue(
  { postgres, values, say, locale }: Order,
  which: Which | null,
  checker: ProfileChecker,
): Promise<number> {
  const folder = needed(values, 'stores')
  const service = addressOf('service', needed(values, 'service'))
  const out = path.resolve(needed(values, 'out'))
  const { stores, problems, secretOf } = await chosenStores(values, folder, which, checker)
  const storeServer = storeServerOf(values)
  const fingerprint = fingerprintFor(values)
  // New codes end those that wait: none are made before there is a place for their sheets.
  mayBecomeFolder(out)
  mkdirSync(out, { recursive: true, mode: 0o700 })
  accessSync(out, constants.W_OK)
  const now = new Date()
  const expiresAt = new Date(now.getTime() + hoursOf(values.hours) * 3_600_000)
  const pins = new Map(stores.map((store) => [store.store.id, values.pins && isReal(store) ? makePins(store) : []]))
  const before = await listCodes(postgres)
  const lanes = stores.flatMap(({ store: { id: store }, lanes: some }) => some.map(({ id: lane }) => ({ store, lane })))
  const sheets = { out, stores, pins, service, fingerprint, onlyLane: which?.lane ?? null }
  let written: string[] = []
  try {
    await issueCodes(
      postgres,
      lanes.map(({ store, lane }) => ({
        store,
        lane,
        clientSecret: secretOf(store, lane),
        pins: pins.get(store) ?? [],
        storeServer,
      })),
      { now, expiresAt },
      (issued) => {
        written = writeSheets(issued, sheets)
      },
    )
  } catch (error) {
    takeBack(out, written)
    throw error
  }
  const ended = before.filter((code) => stateOf(code, now.getTime()).startsWith('waits') && isOneOf(code, lanes))
  const inUse = before.filter((code) => isInUse(code) && isOneOf(code, lanes))
  const real = new Set(stores.filter(isReal).map(({ store: { id } }) => id))
  const bare = lanes.filter(({ store, lane }) => real.has(store) && secretOf(store, lane) === null)
  const older = removeWaste(sheets, written)
  const named = (of: readonly Lane[]): string => lanesOf(of, say)
  for (const line of [
    say('made', {
      codes: say('codes', { count: lanes.length }),
      stores: say('stores', { count: stores.length }),
      until: expiresAt.toISOString(),
    }),
    say('sheets', { folder: out }),
    ...(stores.length > 1 ? [say('printAll')] : []),
    ...doubtsOf(service, fingerprint, say),
    ...(older.length > 0 ? [say('older', { files: older.join(', ') })] : []),
    ...(ended.length > 0 ? [say('ended', { codes: say('codes', { count: ended.length }) })] : []),
    ...(inUse.length > 0
      ? [say(storeServer === null ? 'enrolledAlready' : 'enrolledBefore', { lanes: named(inUse) })]
      : []),
    ...(bare.length > 0 ? [say('bare', { lanes: named(bare) })] : []),
    ...(values.secrets ? [say('inClear', { file: values.secrets })] : []),
  ])
    console.log(line)
  // Of other stores nothing was asked.
  if (which !== null || problems.length === 0) return 0
  for (const problem of problems) console.error(problem[locale])
  console.error(say('leftOut'))
  return 1
}

/** The stores that codes are asked for, what is wrong with others, and the secret of each lane. */
async function chosenStores(values: Values, folder: string, which: Which | null, checker: ProfileChecker) {
  const all = await readStores(path.resolve(folder), checker, values['store-server'] !== undefined)
  const asked = all.stores.flatMap((store) => narrowed(store, which))
  if (asked.length === 0) {
    const none = refused('noSuchLane', { which: `${which?.store}/${which?.lane ?? '*'}`, folder })
    throw new EnrolError(joined([...all.problems, none.messages]))
  }
  const { secretOf, ...secrets } = values.secrets
    ? await readSecrets(path.resolve(values.secrets), all.stores, checker)
    : noSecrets
  const stores = asked.filter(({ store }) => !secrets.leftOut.has(store.id))
  const problems = [...all.problems, ...secrets.problems]
  if (stores.length === 0) throw new EnrolError(joined(problems))
  return { stores, problems, secretOf }
}

/** Training needs neither a secret nor first PINs. */
const isReal = ({ mode }: Store): boolean => mode === 'production'

/** What a sheet may say and no lane can use, told before it is printed. */
const doubtsOf = (service: string, fingerprint: string | null, say: Say): string[] => [
  ...(/^https:\/\/(localhost|127\.|\[::1\])/.test(service) ? [say('thisComputer', { service })] : []),
  ...(fingerprint === null ? [[say('noCheck'), say('noCheckWhy'), say('noCheckDo')].join(' ')] : []),
]

type Lane = Pick<IssuedCode, 'store' | 'lane'>

const isOneOf = (one: Lane, of: readonly Lane[]): boolean => of.some((lane) => isOf(one, lane))

/** The store with the lanes that are asked for; nothing where it has none of them. */
function narrowed(store: Store, which: Which | null): Store[] {
  if (which !== null && store.store.id !== which.store) return []
  const lanes = store.lanes.filter(({ id }) => which === null || which.lane === null || which.lane === id)
  return lanes.length === 0 ? [] : [{ ...store, lanes }]
}
