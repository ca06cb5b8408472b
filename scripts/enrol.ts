import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { parseService } from '../contracts/enrolment-code.ts'
import { FIRST_LOCALE, LOCALES } from '../contracts/i18n/languages.ts'
import { writeWhole } from '../delivery/whole-file.ts'
import { fingerprintOf, ownCertificate, vouchesForItself } from '../store-server/certificate/files.ts'
import { issueCodes, type IssuedCode } from '../store-server/enrolment/issue.ts'
import type { EnrolmentRepository } from '../store-server/enrolment/repository.ts'
import { createLog } from '../store-server/log.ts'
import { openFileStorage, openPostgresStorage, type Storage } from '../store-server/storage.ts'
import { startProfileChecker, type ProfileChecker } from './check-profile.ts'
import { mayBecomeFolder, systemWords } from './command-line.ts'
import { makePins } from './enrol/pins.ts'
import { noSecrets, readSecrets } from './enrol/secrets.ts'
import { laneSheet, pinSheet } from './enrol/sheet.ts'
import { listOf, stateOf } from './enrol/state.ts'
import { EnrolError, readStores, type Store } from './enrol/stores.ts'

/** `npm run enrol -- COMMAND`: one-time codes by which lanes get their secret and first PINs. */
const HELP = `npm run enrol -- COMMAND --data FOLDER [--database URL] [options]

  new                     a code for every lane of the stores, and sheets to print
  list                    which codes there are, and what became of them
  reissue STORE[/LANE]    a new code in the place of the one before
  revoke STORE[/LANE]     codes that wait are good for nothing any more

  --data FOLDER           the data folder of the store server (npm run store)
  --database URL          its PostgreSQL, where it has one: then the codes are there. As npm run store -- --help says
  --stores FOLDER         the stores' profiles
  --service ADDRESS       the store server, as lanes reach it: https://store.example:8443
  --out FOLDER            where the sheets go; readable by their owner only
  --secrets CSV           client secrets: columns store,lane,secret; without a lane for the whole store
  --pins                  makes a one-time PIN for everybody, on a sheet of its own for the manager
  --hours N               how long a code is good (default 72)
  --certificate FILE      the certificate by which the sheets tell the server, where no authority vouches for it
                          (default: server.crt in the data folder, where npm run store -- certificate made one)
  --store-server ADDRESS  told to the lanes as their store's own server; --ca FILE: the authority of its certificate
  --tokens                revoke: also what enrolled lanes show themselves by
`

interface Values {
  readonly data?: string | undefined
  readonly database?: string | undefined
  readonly stores?: string | undefined
  readonly service?: string | undefined
  readonly out?: string | undefined
  readonly secrets?: string | undefined
  readonly pins?: boolean | undefined
  readonly hours?: string | undefined
  readonly certificate?: string | undefined
  readonly 'store-server'?: string | undefined
  readonly ca?: string | undefined
  readonly tokens?: boolean | undefined
}

async function run(repository: EnrolmentRepository, command: string, of: string | undefined, values: Values) {
  switch (command) {
    case 'new':
      return withChecker((checker) => issue(repository, null, values, checker))
    case 'reissue': {
      const which = whichOf(of)
      return withChecker((checker) => issue(repository, which, values, checker))
    }
    case 'revoke': {
      const which = whichOf(of)
      if (!(await repository.list()).some((code) => isOf(code, which)))
        throw new EnrolError(`${of} never had a code. Nothing was revoked; npm run enrol -- list shows who has.`)
      const codes = await repository.revoke(which, Date.now())
      const tokens = values.tokens === true ? await repository.revokeDevices(which, Date.now()) : null
      console.log(
        `${codes} codes are revoked${tokens === null ? '' : `, and ${tokens} enrolled lanes are nobody now`}.`,
      )
      return undefined
    }
    case 'list': {
      const lines = listOf(await repository.list(), Date.now())
      console.log(lines.length === 0 ? 'No codes yet. Make them: npm run enrol -- new' : lines.join('\n'))
      return undefined
    }
    default:
      throw new EnrolError(`There is no command ${command}.\n${HELP}`)
  }
}

interface Which {
  readonly store: string
  readonly lane: string | null
}

const isOf = ({ store, lane }: { readonly store: string; readonly lane: string }, which: Which): boolean =>
  store === which.store && (which.lane === null || which.lane === lane)

function whichOf(text: string | undefined): Which {
  const [store, lane, ...more] = text?.split('/') ?? []
  if (!store || lane === '' || more.length > 0) throw new EnrolError(`STORE or STORE/LANE is needed.\n${HELP}`)
  return { store, lane: lane ?? null }
}

async function withChecker(work: (checker: ProfileChecker) => Promise<void>): Promise<void> {
  const checker = startProfileChecker()
  try {
    await work(checker)
  } finally {
    checker.close()
  }
}

async function issue(
  repository: EnrolmentRepository,
  which: Which | null,
  values: Values,
  checker: ProfileChecker,
): Promise<void> {
  const folder = needed(values, 'stores')
  const service = addressOf('service', needed(values, 'service'))
  const out = path.resolve(needed(values, 'out'))
  const all = await readStores(path.resolve(folder), checker)
  const stores = all.flatMap((store) => narrowed(store, which))
  if (stores.length === 0) throw new EnrolError(`There is no ${which?.store}/${which?.lane ?? '*'} in ${folder}.`)
  const secretOf = values.secrets ? await readSecrets(path.resolve(values.secrets), all, checker) : noSecrets
  const storeServer = storeServerOf(values)
  const fingerprint = fingerprintFor(values)
  // New codes end those that wait: none are made before there is a place for their sheets.
  mayBecomeFolder(out)
  mkdirSync(out, { recursive: true, mode: 0o700 })
  accessSync(out, constants.W_OK)
  const now = new Date()
  const expiresAt = new Date(now.getTime() + hoursOf(values.hours) * 3_600_000)
  const pins = new Map(stores.map((store) => [store.store.id, values.pins === true ? makePins(store) : []]))
  const before = await repository.list()
  const codes = await issueCodes(
    repository,
    stores.flatMap(({ store: { id }, lanes }) =>
      lanes.map((lane) => ({
        store: id,
        lane: lane.id,
        clientSecret: secretOf(id, lane.id),
        pins: pins.get(id) ?? [],
        storeServer,
      })),
    ),
    { now, expiresAt },
    (issued) => {
      for (const store of stores)
        for (const locale of LOCALES) {
          const withPins = values.pins === true
          const options = { store, onlyLane: which?.lane ?? null, locale, service, fingerprint, withPins }
          const own = issued.filter((code) => code.store === store.store.id)
          const name = which?.lane ? `${store.store.id}-${which.lane}` : store.store.id
          writeWhole(path.join(out, `${name}.${locale}.html`), laneSheet(own, options))
          const people = pins.get(store.store.id) ?? []
          if (people.length > 0) writeWhole(path.join(out, `${name}-pins.${locale}.html`), pinSheet(people, options))
        }
    },
  )
  const ended = before.filter((code) => stateOf(code, now.getTime()).startsWith('waits') && isOneOf(code, codes))
  const bare = codes.filter(({ store, lane }) => secretOf(store, lane) === null)
  console.log(`${codes.length} codes for ${stores.length} stores, good until ${expiresAt.toISOString()}.`)
  console.log(`The sheets are in ${out}: print them, hand them over, then delete the folder.`)
  if (ended.length > 0) console.log(`${ended.length} codes that waited ended by it: their older sheets are waste.`)
  if (bare.length > 0)
    console.log(`No client secret for ${lanesOf(bare)}: provision it at the lane (set-secret), or give --secrets.`)
}

type Lane = Pick<IssuedCode, 'store' | 'lane'>

const isOneOf = (one: Lane, of: readonly Lane[]): boolean => of.some((lane) => isOf(one, lane))

/** As many as somebody reads. */
const MOST_NAMED = 20
function lanesOf(lanes: readonly Lane[]): string {
  const named = lanes.slice(0, MOST_NAMED).map(({ store, lane }) => `${store}/${lane}`)
  const more = lanes.length - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The store with the lanes that are asked for; nothing where it has none of them. */
function narrowed(store: Store, which: Which | null): Store[] {
  if (which !== null && store.store.id !== which.store) return []
  const lanes = store.lanes.filter(({ id }) => which === null || which.lane === null || which.lane === id)
  return lanes.length === 0 ? [] : [{ ...store, lanes }]
}

function needed(values: Values, name: 'data' | 'stores' | 'service' | 'out'): string {
  const value = values[name]?.trim()
  if (!value) throw new EnrolError(`--${name} is needed.\n${HELP}`)
  return value
}

function addressOf(name: string, text: string): string {
  const address = parseService(text)
  if (address === null) throw new EnrolError(`--${name} ${text}: an address such as https://store.example:8443`)
  return address
}

function hoursOf(text = '72'): number {
  const hours = Number(text)
  if (!/^\d{1,4}$/.test(text) || hours < 1 || hours > 24 * 30)
    throw new EnrolError(`--hours ${text}: a whole number from 1 to ${24 * 30}`)
  return hours
}

function storeServerOf({ 'store-server': address, ca }: Values) {
  if (address === undefined) {
    if (ca !== undefined) throw new EnrolError('--ca goes with --store-server.')
    return null
  }
  return { url: addressOf('store-server', address), ca: ca === undefined ? null : readFileSync(ca, 'utf8') }
}

/** Null where nobody has to be told: an authority vouches for the server. */
function fingerprintFor(values: Values): string | null {
  if (values.certificate !== undefined) return fingerprintOfFile(values.certificate)
  const file = ownCertificate(needed(values, 'data')).certificate
  const own = existsSync(file) ? readFileSync(file, 'utf8') : null
  return own !== null && vouchesForItself(own) ? fingerprintOf(own) : null
}

function fingerprintOfFile(file: string): string {
  try {
    return fingerprintOf(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new EnrolError(`--certificate ${file}: it cannot be read as a certificate in PEM.`, { cause: error })
  }
}

/** Where the codes are: what the store server has been told too. */
async function openStorage(command: string, values: Values): Promise<Storage> {
  if (values.database !== undefined) return await openPostgresStorage(values.database, { log: createLog('error') })
  const data = path.resolve(needed(values, 'data'))
  // A mistyped folder would be a new one, in which nobody waits.
  if (command !== 'new' && !existsSync(path.join(data, 'store.db')))
    throw new EnrolError(`There are no codes in ${data}: give the folder in which npm run enrol -- new made them.`)
  mkdirSync(data, { recursive: true, mode: 0o700 })
  return openFileStorage(data)
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      database: { type: 'string' },
      stores: { type: 'string' },
      service: { type: 'string' },
      out: { type: 'string' },
      secrets: { type: 'string' },
      pins: { type: 'boolean' },
      hours: { type: 'string' },
      certificate: { type: 'string' },
      'store-server': { type: 'string' },
      ca: { type: 'string' },
      tokens: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const [command, of] = positionals
  if (values.help || command === undefined) {
    process.stdout.write(HELP)
    process.exitCode = values.help ? 0 : 2
  } else {
    const storage = await openStorage(command, values)
    try {
      await run(storage.enrolment, command, of, values)
    } finally {
      await storage.close()
    }
  }
} catch (error) {
  console.error(systemWords(error)?.[FIRST_LOCALE] ?? (error instanceof Error ? error.message : String(error)))
  process.exitCode = 2
}
