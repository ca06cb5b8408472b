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
  type Translate,
  type Values,
  type Target,
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
import { removeObsolete, removeSheets, writeSheets } from './sheet.ts'
import { type Store, isInUse, readStores, stateOf } from './stores.ts'

export interface EnrolContext {
  readonly postgres: Postgres
  readonly values: Values
  readonly translate: Translate
  readonly locale: Locale
}

/**
 * Creates enrolment codes and sheets for all lanes, or for the given ones, and prints the results. Returns the exit
 * code: 1 if all lanes were requested and stores were skipped because of mistakes in their profiles or secrets.
 */
export async function issue(
  { postgres, values, translate, locale }: EnrolContext,
  which: Target | null,
  checker: ProfileChecker,
): Promise<number> {
  const folder = needed(values, 'stores')
  const service = addressOf('service', needed(values, 'service'))
  const out = path.resolve(needed(values, 'out'))
  const { stores, problems, secretOf } = await chosenStores(values, folder, which, checker)
  const storeServer = storeServerOf(values)
  const fingerprint = fingerprintFor(values)
  // New codes revoke unused ones, so first verify that the enrolment sheets can be written.
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
    removeSheets(out, written)
    throw error
  }
  const ended = before.filter((code) => stateOf(code, now.getTime()).startsWith('waits') && isOneOf(code, lanes))
  const inUse = before.filter((code) => isInUse(code) && isOneOf(code, lanes))
  const real = new Set(stores.filter(isReal).map(({ store: { id } }) => id))
  const bare = lanes.filter(({ store, lane }) => real.has(store) && secretOf(store, lane) === null)
  const older = removeObsolete(sheets, written)
  const named = (of: readonly LaneOfCode[]): string => lanesOf(of, translate)
  for (const line of [
    translate('made', {
      codes: translate('codes', { count: lanes.length }),
      stores: translate('stores', { count: stores.length }),
      until: expiresAt.toISOString(),
    }),
    translate('sheets', { folder: out }),
    ...(stores.length > 1 ? [translate('printAll')] : []),
    ...warningsFor(service, fingerprint, translate),
    ...(older.length > 0 ? [translate('older', { files: older.join(', ') })] : []),
    ...(ended.length > 0 ? [translate('ended', { codes: translate('codes', { count: ended.length }) })] : []),
    ...(inUse.length > 0
      ? [translate(storeServer === null ? 'enrolledAlready' : 'enrolledBefore', { lanes: named(inUse) })]
      : []),
    ...(bare.length > 0 ? [translate('bare', { lanes: named(bare) })] : []),
    ...(values.secrets ? [translate('inClear', { file: values.secrets })] : []),
  ])
    console.log(line)
  if (which !== null || problems.length === 0) return 0
  for (const problem of problems) console.error(problem[locale])
  console.error(translate('leftOut'))
  return 1
}

async function chosenStores(values: Values, folder: string, which: Target | null, checker: ProfileChecker) {
  const all = await readStores(path.resolve(folder), checker, values['store-server'] !== undefined)
  const requested = all.stores.flatMap((store) => narrowed(store, which))
  if (requested.length === 0) {
    const none = refused('noSuchLane', { which: `${which?.store}/${which?.lane ?? '*'}`, folder })
    throw new EnrolError(joined([...all.problems, none.messages]))
  }
  const { secretOf, ...secrets } = values.secrets
    ? await readSecrets(path.resolve(values.secrets), all.stores, checker)
    : noSecrets
  const stores = requested.filter(({ store }) => !secrets.skipped.has(store.id))
  const problems = [...all.problems, ...secrets.problems]
  if (stores.length === 0) throw new EnrolError(joined(problems))
  return { stores, problems, secretOf }
}

const isReal = ({ mode }: Store): boolean => mode === 'production'

const warningsFor = (service: string, fingerprint: string | null, translate: Translate): string[] => [
  ...(/^https:\/\/(localhost|127\.|\[::1\])/.test(service) ? [translate('thisComputer', { service })] : []),
  ...(fingerprint === null ? [[translate('noCheck'), translate('noCheckWhy'), translate('noCheckDo')].join(' ')] : []),
]

type LaneOfCode = Pick<IssuedCode, 'store' | 'lane'>

const isOneOf = (one: LaneOfCode, of: readonly LaneOfCode[]): boolean => of.some((lane) => isOf(one, lane))

function narrowed(store: Store, which: Target | null): Store[] {
  if (which !== null && store.store.id !== which.store) return []
  const lanes = store.lanes.filter(({ id }) => which === null || which.lane === null || which.lane === id)
  return lanes.length === 0 ? [] : [{ ...store, lanes }]
}
