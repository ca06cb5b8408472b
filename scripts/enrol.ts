import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { parseService } from '../contracts/enrolment-code.ts'
import { FIRST_LOCALE } from '../contracts/i18n/languages.ts'
import { fingerprintOf, ownCertificate, vouchesForItself } from '../store-server/certificate/files.ts'
import { issueCodes, type IssuedCode } from '../store-server/enrolment/issue.ts'
import type { EnrolmentRepository } from '../store-server/enrolment/repository.ts'
import { createLog } from '../store-server/log.ts'
import { openFileStorage, openPostgresStorage, type Storage } from '../store-server/storage.ts'
import { startProfileChecker, type ProfileChecker } from './check-profile.ts'
import { mayBecomeFolder, systemWords } from './command-line.ts'
import { counted, lanesOf } from './enrol/counted.ts'
import { makePins } from './enrol/pins.ts'
import { noSecrets, readSecrets } from './enrol/secrets.ts'
import { removeWaste, takeBack, writeSheets } from './enrol/sheets.ts'
import { isInUse, listOf, stateOf } from './enrol/state.ts'
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
    case 'revoke':
      return revoke(repository, of, values)
    case 'list': {
      const lines = listOf(await repository.list(), Date.now())
      console.log(lines.length === 0 ? 'No codes yet. Make them: npm run enrol -- new' : lines.join('\n'))
      return undefined
    }
    default:
      throw new EnrolError(`There is no command ${command}.\n${HELP}`)
  }
}

async function revoke(repository: EnrolmentRepository, of: string | undefined, { tokens: isWanted }: Values) {
  const which = whichOf(of)
  const known = (await repository.list()).filter((code) => isOf(code, which))
  if (known.length === 0)
    throw new EnrolError(`${of} never had a code. Nothing was revoked; npm run enrol -- list shows who has.`)
  const codes = await repository.revoke(which, Date.now())
  const inUse = known.filter(isInUse)
  if (isWanted === true) await repository.revokeDevices(which, Date.now())
  const tokens = isWanted === true ? `, and ${counted(inUse.length, 'enrolled lane')} known by a token no more` : ''
  console.log(`${counted(codes, 'code')} revoked${tokens}.`)
  if (inUse.length === 0) return
  // What a thief got by it is good where it is shown, whatever is revoked here.
  console.log(`Used before: ${lanesOf(inUse)}. Their client secret stays good until the program replaces it.`)
  if (isWanted !== true) console.log(`What they show themselves by ends with: revoke ${of} --tokens`)
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
  const lanes = stores.flatMap(({ store: { id: store }, lanes: some }) => some.map(({ id: lane }) => ({ store, lane })))
  const sheets = { out, stores, pins, service, fingerprint, onlyLane: which?.lane ?? null }
  let written: string[] = []
  try {
    await issueCodes(
      repository,
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
  const bare = lanes.filter(({ store, lane }) => secretOf(store, lane) === null)
  const older = removeWaste(sheets, written)
  for (const line of [
    `${counted(lanes.length, 'code')} for ${counted(stores.length, 'store')}, good until ${expiresAt.toISOString()}.`,
    `The sheets are in ${out}: print them, hand them over, then delete the folder.`,
    ...doubtsOf(service, fingerprint),
    ...(older.length > 0 ? [`From before, there too, and perhaps waste: ${older.join(', ')}.`] : []),
    ...(ended.length > 0 ? [`${counted(ended.length, 'code')} that waited ended by it; so did the older cards.`] : []),
    ...(inUse.length > 0 ? [`Enrolled already: ${lanesOf(inUse)}. A lane that sells needs no new code.`] : []),
    ...(bare.length > 0
      ? [`No client secret for ${lanesOf(bare)}: provision it at the lane (set-secret), or give --secrets.`]
      : []),
    ...(values.secrets ? [`${values.secrets} has every secret in clear: delete it, or lock it away.`] : []),
  ])
    console.log(line)
}

/** What a sheet may say and no lane can use, told before it is printed. */
const doubtsOf = (service: string, fingerprint: string | null): string[] => [
  ...(/^https:\/\/(localhost|127\.|\[::1\])/.test(service)
    ? [`${service} is this computer: lanes elsewhere do not reach it by that.`]
    : []),
  ...(fingerprint === null
    ? [
        'No certificate in the data folder: the sheets have no server check, and lanes believe a server of an ' +
          'authority alone. Without one: npm run store -- certificate, then this again.',
      ]
    : []),
]

type Lane = Pick<IssuedCode, 'store' | 'lane'>

const isOneOf = (one: Lane, of: readonly Lane[]): boolean => of.some((lane) => isOf(one, lane))

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

const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')

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
  if (isLocked(error)) console.error('Another program has kept store.db for more than ten seconds. Try again.')
  else console.error(systemWords(error)?.[FIRST_LOCALE] ?? (error instanceof Error ? error.message : String(error)))
  process.exitCode = 2
}
