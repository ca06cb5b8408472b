import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzip } from 'node:zlib'
import { SupportFile } from '../../../contracts/operations/support.ts'
import { CASH_RESPONSE_CODES } from '../../../contracts/central/cash.ts'
import { ISSUANCE_ERROR_CODES } from '../../../contracts/central/issuance.ts'
import { SUPPORT_SECTIONS, type SupportSection } from '../../../contracts/operations/support-values.ts'
import { isoOf } from '../../core/clock.ts'
import { type HeldValue, readLog } from './log-lines.ts'
import {
  type LaneFolder,
  type RunningFacts,
  backupFacts,
  boundedSeconds,
  connectionFacts,
  integrityFacts,
  offerFacts,
  plainId,
  programFacts,
  queueFacts,
  diskFacts,
  settingFacts,
  withRounded,
} from './lane-facts.ts'
import { looksSecret, sectionWithSecret } from './self-check.ts'

export interface SupportFileOptions {
  readonly folder: LaneFolder
  readonly version: string
  readonly owner: { readonly store: string; readonly lane: string; readonly mode: string } | null
  readonly running: RunningFacts | null
  readonly held: readonly HeldValue[]
}

/**
 * Why no file was made. `shape`: a value does not match its declaration. `secret`: a value looks like a secret, or is
 * one of the lane's.
 */
export type MadeFile =
  | { readonly kind: 'made'; readonly file: SupportFile; readonly bytes: Buffer }
  | { readonly kind: 'refused'; readonly why: 'shape' | 'secret'; readonly section: SupportSection }

const RESPONSE_CODES = [...Object.keys(CASH_RESPONSE_CODES), ...Object.keys(ISSUANCE_ERROR_CODES)]
const compressed = promisify(gzip)

class SectionError extends Error {
  override name = 'SectionError'
  readonly section: SupportSection
  constructor(section: SupportSection, cause: unknown) {
    super(section, { cause })
    this.section = section
  }
}

/**
 * Gathers the data of a support file, validates each value, searches the whole for secrets, and compresses it. One
 * invalid value refuses the whole file.
 */
export async function makeSupportFile(options: SupportFileOptions): Promise<MadeFile> {
  let gathered: unknown
  try {
    gathered = await gather(options)
  } catch (error) {
    if (error instanceof SectionError) return { kind: 'refused', why: 'shape', section: error.section }
    throw error
  }
  const checked = SupportFile.safeParse(withRounded(gathered))
  if (!checked.success) {
    const [place] = checked.error.issues[0]?.path ?? []
    return { kind: 'refused', why: 'shape', section: SUPPORT_SECTIONS.find((name) => name === place) ?? 'program' }
  }
  const file = checked.data
  const found = sectionWithSecret(file, options.held, knownOf(file))
  if (found !== null) return { kind: 'refused', why: 'secret', section: found }
  return { kind: 'made', file, bytes: await compressed(JSON.stringify(file, null, 1)) }
}

export const textOf = (bytes: Uint8Array): string => gunzipSync(bytes).toString('utf8')

/** A store chooses its id; one that looks like a secret is left out, so that a file can still be made. */
const harmlessId = (id: string): string | null => (looksSecret(id) ? null : id)

/** Values that belong in the support file, so they are no secrets although the environment may contain them. */
const knownOf = ({ program: { version, nodeVersion, store, lane, timeZone, osVersion } }: SupportFile): Set<string> =>
  new Set([version, nodeVersion, osVersion, store, lane, timeZone].filter((one) => one !== null))

async function gather({ folder, version, owner, running }: SupportFileOptions): Promise<unknown> {
  const { log, errors } = await section('log', () => readLog(join(folder.dataFolder, 'logs')))
  const lists = of('offers', () => offerFacts(folder))
  const ahead = running?.clock.aheadSeconds ?? null
  return {
    format: 1,
    madeAt: isoOf(folder.now),
    program: {
      ...of('program', () => programFacts(folder, version)),
      store: owner && harmlessId(plainId(owner.store)),
      lane: owner?.lane ?? null,
      mode: owner?.mode ?? null,
      ...(running?.program ?? { timeZone: null, startedAt: null, uptimeSeconds: null, stopped: null }),
    },
    room: {
      ...of('room', () => diskFacts(folder)),
      clock: running?.clock.state ?? null,
      aheadSeconds: ahead === null ? null : boundedSeconds(ahead),
    },
    devices: running && { list: running.devices },
    queue: { ...of('queue', () => queueFacts(folder)), central: running?.central ?? null },
    connection: {
      ...of('connection', () => connectionFacts(folder, RESPONSE_CODES)),
      state: running?.connection.state ?? null,
      since: running?.connection.since ?? null,
    },
    integrity: of('integrity', () => integrityFacts(folder)),
    backups: { ...of('backups', () => backupFacts(folder)), copies: running?.copies ?? null },
    offers: {
      lists: lists.map((list) => ({ ...list, failed: running?.offersFailed.get(list.locale) ?? null })),
    },
    settings: { ...of('settings', () => settingFacts(folder)), ...(running && { changed: running.settings }) },
    errors,
    log,
  }
}

function of<Facts>(name: SupportSection, facts: () => Facts): Facts {
  try {
    return facts()
  } catch (error) {
    throw new SectionError(name, error)
  }
}

async function section<Facts>(name: SupportSection, facts: () => Promise<Facts>): Promise<Facts> {
  try {
    return await facts()
  } catch (error) {
    throw new SectionError(name, error)
  }
}
