import type { Trusted } from '../../signed.ts'
import { type Channel, compareVersions, type Release, type Report } from '../../updates/formats.ts'
import { readChannel } from '../../updates/release-folder.ts'
import { stopsWave, tallyOf, tallySince } from '../../updates/choose.ts'
import { openPostgres } from '../../../store-server/db/postgres.ts'
import { createLog } from '../../../store-server/log.ts'
import { type HaltRequest, type StoredReports, holdsBack, readReports } from '../../../store-server/updates.sql.ts'
import { createTranslator } from 'use-intl/core'
import { CATALOGS } from '../../../../contracts/i18n/catalogs.ts'
import type { Locale } from '../../../../contracts/core/locales.ts'
import type publishing from '../../../../contracts/i18n/en-CA/publishing.ts'

export interface StatusOptions {
  readonly trusted: Trusted
  readonly now: Date
  /** Address of the store server's PostgreSQL, which has the reports; null: no reports. */
  readonly database: string | null
}

const DAY_MS = 86_400_000
/** The warning precedes the channel's expiry by a week, because renewing the channel is manual. */
const WARN_DAYS = 7
const MAX_NAMED = 10

/** Prints the published versions, their waves and the reports of lanes. Returns 1 if action is needed. */
export async function printStatus(
  folder: string,
  { trusted, now, database }: StatusOptions,
  translate: Translate,
): Promise<number> {
  const channel = readChannel(folder, trusted)
  if (channel === null) throw new UpdatesRefusal('no-channel', { folder })
  const stored = database === null ? null : await reportsIn(database)
  let mustHalt = false
  for (const release of channel.releases.toSorted((one, other) => compareVersions(other.version, one.version))) {
    const ofVersion = stored?.reports.filter(({ version }) => version === release.version) ?? null
    console.log(lineOf(channel, release, ofVersion, translate))
    for (const report of failureReports(ofVersion ?? [])) console.log(leftLine(report, translate))
    const since = tallySince(tallyOf(ofVersion ?? []), stored?.halts.get(release.version) ?? null)
    const halt = haltRequestFor(stored?.request ?? null, channel, release)
    const tally = halt ?? since
    if (release.halted || (halt === null && !stopsWave(since))) continue
    mustHalt = true
    const facts = { version: release.version, reported: String(tally.running + tally.left), left: String(tally.left) }
    console.log(`${translate('mustHalt', facts)}\n${commandLine(folder, 'halt', release.version)}`)
  }
  return printExpiry(channel, folder, now, translate) || mustHalt ? 1 : 0
}

async function reportsIn(database: string): Promise<StoredReports> {
  const postgres = openPostgres({ url: database, log: createLog('error') })
  try {
    return await readReports(postgres)
  } finally {
    await postgres.close()
  }
}

/**
 * Returns the store server's request to halt this release, if it still applies. A server without a private key cannot
 * sign a halt; it gives no lane an update until an installer signs a newer channel.
 */
const haltRequestFor = (request: HaltRequest | null, channel: Channel, { version }: Release): HaltRequest | null =>
  request?.version === version && holdsBack(request, channel) ? request : null

function lineOf(
  { stable }: Channel,
  release: Release,
  reports: readonly Report[] | null,
  translate: Translate,
): string {
  const { version, halted, wavePercent } = release
  const percent = String(wavePercent)
  const { running, left } = tallyOf(reports ?? [])
  return translate('line', {
    version,
    state: halted
      ? translate('state.halted', { percent })
      : version === stable
        ? translate('state.stable')
        : translate('state.wave', { percent }),
    reports:
      reports === null
        ? translate('reportsUnknown')
        : translate('reports', { running: String(running), left: String(left) }),
  })
}

const failureReports = (reports: readonly Report[]): readonly Report[] =>
  reports
    .filter(({ outcome }) => outcome !== 'running')
    .toSorted((one, other) => other.at.localeCompare(one.at))
    .slice(0, MAX_NAMED)

const leftLine = ({ store, lane, outcome, at, why }: Report, translate: Translate): string =>
  translate('leftBy', {
    store: plain(store),
    lane: plain(lane),
    outcome: outcome === 'running' ? '' : translate(`outcome.${outcome}`),
    at,
    why: why === null ? translate('noWhy') : plain(why),
  })

const plain = (text: string): string => text.replace(/\p{C}/gu, ' ')

function printExpiry({ sequence, expiresAt }: Channel, folder: string, now: Date, translate: Translate): boolean {
  console.log(translate('until', { sequence: String(sequence), expires: expiresAt }))
  const remainingMs = new Date(expiresAt).getTime() - now.getTime()
  if (remainingMs > WARN_DAYS * DAY_MS) return false
  const days = Math.ceil(remainingMs / DAY_MS)
  console.log(
    `${remainingMs <= 0 ? translate('expired') : translate('expiresSoon', { days })}\n${commandLine(folder, 'renew')}`,
  )
  return true
}

export const translatorOf = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'publishing' })
export type Translate = ReturnType<typeof translatorOf>

/** Returns the next CLI command to type, the same in every language. */
export const commandLine = (folder: string, ...args: string[]): string =>
  `  npm run milepost -- updates ${args.join(' ')} --out ${folder}`

export type RefusalCode = keyof (typeof publishing)['refused']

const DEFAULT_FACTS = {
  file: '',
  folder: '',
  found: '',
  given: '',
  known: '',
  language: '',
  option: '',
  platform: '',
  platforms: '',
  reason: '',
  schema: '',
  version: '',
}
export type Facts = Readonly<Record<keyof typeof DEFAULT_FACTS, string>>

/**
 * An error of the `updates` command that the installer must fix: a code of `publishing.refused` and the values of
 * its message.
 */
export class UpdatesRefusal extends Error {
  override name = 'UpdatesRefusal'
  readonly code: RefusalCode
  readonly facts: Facts
  constructor(code: RefusalCode, facts: Partial<Facts> = {}) {
    super(code)
    this.code = code
    this.facts = { ...DEFAULT_FACTS, ...facts }
  }
}
