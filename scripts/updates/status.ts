import type { Trusted } from '../../delivery/signed.ts'
import type { Channel, Release, Report } from '../../delivery/updates/formats.ts'
import { readChannel } from '../../delivery/updates/release-folder.ts'
import { compareVersions } from '../../delivery/updates/version.ts'
import { stopsWave, tallyOf, tallySince } from '../../delivery/updates/wave.ts'
import { holdsBack, type HaltRequest } from '../../store-server/updates/halt-requests.ts'
import { readReports, type ReportsPlace } from '../../store-server/updates/read-reports.ts'
import { PublishRefusal } from './refusal.ts'
import { commandLine, type Say } from './words.ts'

export interface StatusOptions {
  readonly trusted: Trusted
  readonly now: Date
  /** Where the store server keeps the reports; null: they are not looked at. */
  readonly place: ReportsPlace | null
}

const DAY_MS = 86_400_000
/** A channel is made anew by hand: whoever does it wants a week for it. */
const WARN_DAYS = 7
/** Of the lanes that left a version: enough to see what they have in common. */
const MOST_NAMED = 10

/** What is published, who takes it, and what lanes reported. Answers 1 where something is to be done. */
export async function tellStatus(folder: string, { trusted, now, place }: StatusOptions, say: Say): Promise<number> {
  const channel = readChannel(folder, trusted)
  if (channel === null) throw new PublishRefusal('no-channel', { folder })
  const kept = place === null ? null : await readReports(place)
  if (place !== null && 'data' in place && kept === null)
    throw new PublishRefusal('reports-missing', { folder: place.data })
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
