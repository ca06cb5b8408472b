import { existsSync, readFileSync } from 'node:fs'
import { parseService } from '../../contracts/enrolment-code.ts'
import { fingerprintOf, ownCertificate, pinOf, vouchesForItself } from '../../store-server/certificate/files.ts'
import { refused } from './words.ts'

export const HELP = `npm run enrol -- COMMAND --data FOLDER [--database URL] [options]

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
  --hours N               how long the codes of this batch are good (default 72, at most 2160: 90 days)
  --certificate FILE      the certificate by which the sheets tell the server, where no authority vouches for it
                          (default: server.crt in the data folder, where npm run store -- certificate made one)
  --store-server ADDRESS  told to the lanes as their store's own server; --ca FILE: the authority of its certificate
  --language CODE         en-CA or fr-CA
  --tokens                revoke: also what enrolled lanes show themselves by
  --running               reissue: also for a lane that the store server has just heard of
`

export interface Values {
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
  readonly running?: boolean | undefined
  readonly language?: string | undefined
}

export interface Which {
  readonly store: string
  readonly lane: string | null
}

export const isOf = ({ store, lane }: { readonly store: string; readonly lane: string }, which: Which): boolean =>
  store === which.store && (which.lane === null || which.lane === lane)

export function whichOf(text: string | undefined): Which {
  const [store, lane, ...more] = text?.split('/') ?? []
  if (!store || lane === '' || more.length > 0) throw refused('which', {}, { help: HELP })
  return { store, lane: lane ?? null }
}

export function needed(values: Values, name: 'data' | 'stores' | 'service' | 'out'): string {
  const value = values[name]?.trim()
  if (!value) throw refused('optionMissing', { option: `--${name}` }, { help: HELP })
  return value
}

export function addressOf(name: string, text: string): string {
  const address = parseService(text)
  if (address === null) throw refused('address', { option: `--${name}`, given: text })
  return address
}

/** Hundreds of stores are enrolled over weeks. */
const MOST_HOURS = 90 * 24

export function hoursOf(text = '72'): number {
  const hours = Number(text)
  if (!/^\d{1,4}$/.test(text) || hours < 1 || hours > MOST_HOURS)
    throw refused('hours', { given: text, most: String(MOST_HOURS) })
  return hours
}

export function storeServerOf({ 'store-server': address, ca }: Values) {
  if (address === undefined) {
    if (ca !== undefined) throw refused('caAlone')
    return null
  }
  return { url: addressOf('store-server', address), ca: ca === undefined ? null : pinOf(readFileSync(ca, 'utf8')) }
}

/** Null where nobody has to be told: an authority vouches for the server. */
export function fingerprintFor(values: Values): string | null {
  if (values.certificate !== undefined) return fingerprintOfFile(values.certificate)
  const file = ownCertificate(needed(values, 'data')).certificate
  const own = existsSync(file) ? readFileSync(file, 'utf8') : null
  const pin = own === null ? null : pinOf(own)
  return pin !== null && vouchesForItself(pin) ? fingerprintOf(pin) : null
}

function fingerprintOfFile(file: string): string {
  try {
    return fingerprintOf(pinOf(readFileSync(file, 'utf8')))
  } catch (error) {
    throw refused('certificate', { file }, { cause: error })
  }
}
