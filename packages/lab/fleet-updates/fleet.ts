import { cpSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { makeKey, signerOf } from '../../delivery/keys.ts'
import { type TrustList, trustedIn } from '../../delivery/trust.ts'
import { type Channel, manifestPlace, PROGRAM_SIGNED } from '../../delivery/updates/formats.ts'
import { readChannel } from '../../delivery/updates/release-folder.ts'
import type { WhyRefused } from '../../delivery/updates/slots-state.ts'
import { applyChannelAction, type ChannelAction } from '../../delivery/commands/updates/channel-actions.ts'
import { openLane, type SimulatedLane } from './lane.ts'
import { publishSimulatedVersion, type ChannelKeys, type SimulatedVersion } from './releases.ts'
import { chanceOf, shuffled } from './rng.ts'
import { serveUpdates } from './server.ts'

export interface FleetOptions {
  readonly folder: string
  readonly lanes: number
  readonly badPercent: number
  readonly seed: number
  readonly checkHours: number
  readonly onDay: (line: string) => void
}

export interface FleetResult {
  /** Time and extent of the version’s automatic halt; null: the version reached all lanes. */
  readonly halt: {
    readonly at: string
    readonly wavePercent: number
    readonly lanesTouched: number
    readonly lanesLeft: number
  } | null
  readonly touched: number
  readonly bad: number
  readonly versions: Readonly<Record<string, number>>
  readonly viaIntermediate: number
  readonly off: number
  readonly days: number
  readonly checks: number
  /** Number of update checks by result, for unexpected results only, such as an error. */
  readonly odd: Readonly<Record<string, number>>
  readonly unsentReports: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const FIRST_DAY = Date.parse('2026-11-25T00:00:00Z')
const OPENS_HOUR = 8
const CLOSES_HOUR = 20
const INSTALLER_HOUR = 9
const WAVES = [5, 20, 50, 100]
const MAX_DAYS = 30
const OLD: readonly SimulatedVersion[] = ['1.2.0', '1.3.0', '1.4.0']
const FAILURES: readonly WhyRefused[] = ['ended', 'hung', 'crashed', 'killed']
const USUAL = new Set(['newest', 'waiting'])

interface FleetLane extends SimulatedLane {
  readonly isOff: boolean
  readonly from: SimulatedVersion
  readonly closesAt: number
  readonly checksFrom: number
}

/**
 * Simulates a fleet of lanes with Milepost’s own update client, `updates publish` and controller, and a simulated
 * clock: 1.5.0 is published, then offered in waves over several days; if it is halted, 1.5.1 follows. Ends two nights
 * after a version became stable.
 */
export async function playFleet(options: FleetOptions): Promise<FleetResult> {
  const { folder, lanes, badPercent, seed, checkHours, onDay } = options
  let now = FIRST_DAY
  const clock = (): Date => new Date(now)
  const at = (...parts: string[]): string => path.join(folder, ...parts)
  for (const name of ['lanes', 'programs']) mkdirSync(at(name), { recursive: true })
  const signer = signerOf(makeKey(null).pem, null)
  const trust: TrustList = { format: 1, version: 1, keys: [{ ...signer.publicKey, name: 'fleet' }], revoked: [] }
  const channelKeys: ChannelKeys = { signer, trusted: trustedIn(trust) }
  const out = at('out')
  const put = (version: SimulatedVersion): Promise<void> =>
    publishSimulatedVersion({ out, programs: at('programs'), now: clock() }, version, channelKeys)
  const change = (wish: ChannelAction): void => void applyChannelAction(out, wish, { ...channelKeys, now: clock() })
  const channel = (): Channel => readChannel(out, channelKeys.trusted) ?? fail('no version is published')
  const release = (version: string) =>
    channel().releases.find((one) => one.version === version) ?? fail(`${version} is not published`)

  for (const version of OLD) await put(version)
  change({ kind: 'stable', version: '1.4.0' })
  for (const version of OLD) {
    cpSync(at('programs', version), at('installed', version), { recursive: true })
    cpSync(path.join(out, manifestPlace(release(version).manifest)), at('installed', version, PROGRAM_SIGNED))
  }
  const server = await serveUpdates({
    folder: out,
    keys: { trusted: channelKeys.trusted, signer },
    now: clock,
  })

  const bad = new Map(
    shuffled(
      Array.from({ length: lanes }, (_, index) => index),
      seed,
    )
      .slice(0, Math.round((lanes * badPercent) / 100))
      .map((index, turn) => [index, FAILURES[turn % FAILURES.length] ?? null]),
  )
  const fleet = Array.from({ length: lanes }, (_, index): FleetLane => {
    const chance = (what: string): number => chanceOf(seed, what, index)
    const from = chance('version') < 0.04 ? '1.2.0' : chance('version') < 0.1 ? '1.3.0' : '1.4.0'
    const lane = openLane({
      root: at('lanes', String(index)),
      store: String(1_000 + Math.floor(index / 4)),
      lane: `0${(index % 4) + 1}`,
      installed: { version: from, program: at('installed', from) },
      trust,
      base: server.base,
      now: clock,
      failureOf: (version) => (version === '1.5.0' ? (bad.get(index) ?? null) : null),
    })
    return {
      ...lane,
      from,
      isOff: chance('away') < 0.05,
      closesAt: CLOSES_HOUR * HOUR_MS + chance('closes') * 3 * HOUR_MS,
      checksFrom: OPENS_HOUR * HOUR_MS + chance('looks') * checkHours * HOUR_MS,
    }
  })

  let halt: FleetResult['halt'] = null
  let checks = 0
  const odd: Record<string, number> = {}
  const triers = (version: string): FleetLane[] => fleet.filter(({ tried }) => tried.includes(version))
  const noteHalt = (): void => {
    if (halt !== null || !channel().releases.some(({ version, halted }) => version === '1.5.0' && halted)) return
    const touched = triers('1.5.0')
    halt = {
      at: clock().toISOString(),
      wavePercent: release('1.5.0').wavePercent,
      lanesTouched: touched.length,
      lanesLeft: touched.filter((lane) => lane.version() !== '1.5.0').length,
    }
  }

  async function playDay(day: number, isAllOn: boolean): Promise<void> {
    const midnight = FIRST_DAY + day * DAY_MS
    const open = fleet.filter(({ isOff }) => !isOff || isAllOn)
    const events = open
      .flatMap((lane) => {
        const times: { at: number; lane: FleetLane; closes: boolean }[] = [{ at: lane.closesAt, lane, closes: true }]
        for (let time = lane.checksFrom; time < lane.closesAt; time += checkHours * HOUR_MS)
          times.push({ at: time, lane, closes: false })
        return times
      })
      .toSorted((one, other) => one.at - other.at)
    for (const event of events) {
      now = midnight + event.at
      if (event.closes) {
        const before = event.lane.tried.length
        await event.lane.close()
        if (event.lane.tried.length > before) noteHalt()
        continue
      }
      checks += 1
      const found = await event.lane.check()
      if (!USUAL.has(found)) odd[found] = (odd[found] ?? 0) + 1
    }
  }

  try {
    const plan = planOf('1.5.0')
    let version: SimulatedVersion = '1.5.0'
    let nightsLeft = 2
    let day = 0
    for (; nightsLeft > 0 && day < MAX_DAYS; day += 1) {
      now = FIRST_DAY + day * DAY_MS + INSTALLER_HOUR * HOUR_MS
      if (halt !== null && version === '1.5.0') {
        version = '1.5.1'
        plan.splice(0, plan.length, ...planOf(version))
      }
      // On the first day no version is published: lanes with an old version update to the stable one.
      const step = day === 0 ? undefined : plan.shift()
      if (step?.kind === 'publish') await put(version)
      if (step && step.kind !== 'publish') change(step)
      if (step?.kind === 'publish') change({ kind: 'wave', version, percent: WAVES[0] ?? 0 })
      const isLast = day > 0 && plan.length === 0
      if (isLast) nightsLeft -= 1
      await playDay(day, isLast)
      onDay(dayLine(day, version, fleet, day === 0 ? null : release(version)))
    }
    return {
      halt,
      touched: triers('1.5.0').length,
      bad: bad.size,
      versions: countedBy(fleet.map((lane) => lane.version())),
      viaIntermediate: fleet.filter(({ from, tried }) => from === '1.2.0' && tried[0] === '1.4.0').length,
      off: fleet.filter(({ isOff }) => isOff).length,
      days: day,
      checks,
      odd,
      unsentReports: fleet.reduce((sum, lane) => sum + lane.unsentReports(), 0),
    }
  } finally {
    await server.close()
    rmSync(at('lanes'), { recursive: true, force: true })
  }
}

type Step = Exclude<ChannelAction, { kind: 'renew' }> | { readonly kind: 'publish' }

const planOf = (version: SimulatedVersion): Step[] => [
  { kind: 'publish' },
  ...WAVES.slice(1).map((percent): Step => ({ kind: 'wave', version, percent })),
  { kind: 'stable', version },
]

function dayLine(
  day: number,
  version: string,
  fleet: readonly FleetLane[],
  release: Channel['releases'][number] | null,
): string {
  const running = fleet.filter((lane) => lane.version() === version).length
  const left = fleet.filter((lane) => lane.tried.includes(version) && lane.version() !== version).length
  const wave = release === null ? 'not published' : `${release.wavePercent} %${release.halted ? ', HALTED' : ''}`
  return `day ${day}  ${version} ${wave}: ${running} run it, ${left} left it`
}

const countedBy = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...new Set(names)]
      .toSorted((one, other) => one.localeCompare(other))
      .map((name) => [name, names.filter((one) => one === name).length]),
  )

function fail(message: string): never {
  throw new Error(message)
}
