import type { Trusted } from '../../signed.ts'
import { type Channel, compareVersions, type Release, type Report } from '../../updates/formats.ts'
import { readChannel } from '../../updates/release-folder.ts'
import { stopsWave, tallyOf, tallySince } from '../../updates/choose.ts'
import { openPostgres } from '../../../store-server/db/postgres.ts'
import { createLog } from '../../../store-server/log.ts'
import { type HaltRequest, type KeptReports, holdsBack, readReports } from '../../../store-server/updates.sql.ts'
import { createTranslator } from 'use-intl/core'
import { CATALOGS } from '../../../../contracts/i18n/catalogs.ts'
import type { Locale } from '../../../../contracts/core/locales.ts'
import type publishing from '../../../../contracts/i18n/en-CA/publishing.ts'

export interface StatusOptions {
  readonly trusted: Trusted
  readonly now: Date
  /** The address of the store server's PostgreSQL, which has the reports; null: the reports are not read. */
  readonly database: string | null
}

const DAY_MS = 86_400_000
/** A channel is made anew by hand: whoever does it wants a week for it. */
const WARN_DAYS = 7
/** Of the lanes that left a version: enough to see what they have in common. */
const MOST_NAMED = 10

/** What is published, who takes it, and what lanes reported. Answers 1 where something is to be done. */
export async function tellStatus(folder: string, { trusted, now, database }: StatusOptions, say: Say): Promise<number> {
  const channel = readChannel(folder, trusted)
  if (channel === null) throw new PublishRefusal('no-channel', { folder })
  const kept = database === null ? null : await reportsIn(database)
  let mustHalt = false
  for (const release of channel.releases.toSorted((one, other) => compareVersions(other.version, one.version))) {
    const ofVersion = kept?.reports.filter(({ version }) => version === release.version) ?? null
    console.log(lineOf(channel, release, ofVersion, say))
    for (const report of leftOf(ofVersion ?? [])) console.log(leftBy(report, say))
    const since = tallySince(tallyOf(ofVersion ?? []), kept?.halts.get(release.version) ?? null)
    const asked = askedHalt(kept?.request ?? null, channel, release)
    const tally = asked ?? since
    if (release.halted || (asked === null && !stopsWave(since))) continue
    mustHalt = true
    const facts = { version: release.version, reported: String(tally.running + tally.left), left: String(tally.left) }
    console.log(`${say('mustHalt', facts)}\n${commandLine(folder, 'halt', release.version)}`)
  }
  return tellExpiry(channel, folder, now, say) || mustHalt ? 1 : 0
}

async function reportsIn(database: string): Promise<KeptReports> {
  const postgres = openPostgres({ url: database, log: createLog('error') })
  try {
    return await readReports(postgres)
  } finally {
    await postgres.close()
  }
}

/** What the server halts the version for, where it has no key to: until somebody signs, no lane gets any. */
const askedHalt = (request: HaltRequest | null, channel: Channel, { version }: Release): HaltRequest | null =>
  request?.version === version && holdsBack(request, channel) ? request : null

function lineOf({ stable }: Channel, release: Release, reports: readonly Report[] | null, say: Say): string {
  const { version, halted, wavePercent } = release
  const percent = String(wavePercent)
  const { running, left } = tallyOf(reports ?? [])
  return say('line', {
    version,
    state: halted
      ? say('state.halted', { percent })
      : version === stable
        ? say('state.stable')
        : say('state.wave', { percent }),
    reports:
      reports === null ? say('reportsUnknown') : say('reports', { running: String(running), left: String(left) }),
  })
}

const leftOf = (reports: readonly Report[]): readonly Report[] =>
  reports
    .filter(({ outcome }) => outcome !== 'running')
    .toSorted((one, other) => other.at.localeCompare(one.at))
    .slice(0, MOST_NAMED)

const leftBy = ({ store, lane, outcome, at, why }: Report, say: Say): string =>
  say('leftBy', {
    store: plain(store),
    lane: plain(lane),
    outcome: outcome === 'running' ? '' : say(`outcome.${outcome}`),
    at,
    why: why === null ? say('noWhy') : plain(why),
  })

/** What a lane says is text, and no command to this terminal window. */
const plain = (text: string): string => text.replace(/\p{C}/gu, ' ')

/** Answers whether it has to be made anew soon. */
function tellExpiry({ sequence, expiresAt }: Channel, folder: string, now: Date, say: Say): boolean {
  console.log(say('until', { sequence: String(sequence), expires: expiresAt }))
  const left = new Date(expiresAt).getTime() - now.getTime()
  if (left > WARN_DAYS * DAY_MS) return false
  const days = Math.ceil(left / DAY_MS)
  console.log(`${left <= 0 ? say('expired') : say('expiresSoon', { days })}\n${commandLine(folder, 'renew')}`)
  return true
}

/** What the tool for updates says, in one language. */
export const translatorOf = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'publishing' })
export type Say = ReturnType<typeof translatorOf>

/** What to type next, in every language. */
export const commandLine = (folder: string, ...args: string[]): string =>
  `  npm run milepost -- updates ${args.join(' ')} --out ${folder}`

export type RefusalCode = keyof (typeof publishing)['refused']

/** All that the words of a refusal may name: one that has no place for it leaves it out. */
const NOTHING_NAMED = {
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
export type Facts = Readonly<Record<keyof typeof NOTHING_NAMED, string>>

/** What an installer has to mend before anything is published: a code of `publishing.refused` and what it names. */
export class PublishRefusal extends Error {
  override name = 'PublishRefusal'
  readonly code: RefusalCode
  readonly facts: Facts
  constructor(code: RefusalCode, facts: Partial<Facts> = {}) {
    super(code)
    this.code = code
    this.facts = { ...NOTHING_NAMED, ...facts }
  }
}
