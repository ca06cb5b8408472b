import { cpSync } from 'node:fs'
import path from 'node:path'
import type { TrustList } from '../../delivery/trust.ts'
import { checkForUpdate } from '../../delivery/updates/check.ts'
import { sendReports } from '../../delivery/updates/send-reports.ts'
import { openSlots, type Slots } from '../../delivery/updates/slots.ts'
import type { SlotName, WhyRefused } from '../../delivery/updates/slots-state.ts'
import { isSimulated, PLATFORM, VERSIONS, type SimulatedVersion } from './releases.ts'

export interface LaneOptions {
  readonly root: string
  readonly store: string
  readonly lane: string
  /** What it runs on the first day: a whole program with its sealed manifest, which is copied. */
  readonly installed: { readonly version: SimulatedVersion; readonly program: string }
  readonly trust: TrustList
  readonly base: string
  readonly now: () => Date
  /** How a version fails on this lane; null: it comes up. */
  readonly failureOf: (version: string) => WhyRefused | null
}

/** A lane with the real client: slots on a disk, fetches and reports over HTTP. What starts is the simulation’s. */
export interface SimulatedLane {
  readonly store: string
  readonly lane: string
  version(): string
  /** Versions that were started here for the first time, in order. */
  readonly tried: readonly string[]
  /** Looks for a new version, as a running terminal does by the hour. Answers what came of it. */
  look(): Promise<string>
  /** The day is over: what waits is tried, and what came of it is told. */
  close(): Promise<void>
  /** What is still to be told. */
  untold(): number
}

export function openLane(options: LaneOptions): SimulatedLane {
  const { root, store, lane, installed, trust, base, now, failureOf } = options
  const slots: Slots = openSlots({ root, platform: PLATFORM, trust: () => trust, now })
  cpSync(installed.program, path.join(root, 'slots', 'a'), { recursive: true })
  const tried: string[] = []
  const names = { store, lane }
  let schema: number = VERSIONS[installed.version].schema
  const own = (): SlotName => slots.state().good
  const version = (): string => slots.versionIn(own()) ?? ''

  /** Starts until one program stays: what its first lines decide, and what becomes of a try. */
  async function start(): Promise<void> {
    const before = schema
    for (;;) {
      const decision = await slots.decideStart(own(), schema)
      if (decision.kind === 'self') {
        // The copy of the database from before the update is put back: nothing was sold meanwhile.
        if (decision.wentBack !== null) schema = before
        return
      }
      if (tried.at(-1) !== decision.version) tried.push(decision.version)
      if (isSimulated(decision.version)) schema = VERSIONS[decision.version].schema
      const why = failureOf(decision.version)
      if (why === null) {
        slots.began(decision.slot)
        slots.confirm(decision.slot)
        slots.clear()
        return
      }
      if (why !== 'killed') slots.noteFailure(why)
    }
  }

  async function look(): Promise<string> {
    const checked = await checkForUpdate({ slots, own: own(), source: { base }, lane: { ...names, schema }, now })
    await sendReports(slots, { base }, names)
    return checked.kind === 'refused' ? `${checked.what} ${checked.why}` : checked.kind
  }

  return {
    ...names,
    version,
    tried,
    look,
    async close() {
      // As the backend does before it lets another version in: what waits may have been halted since.
      await look()
      slots.arm(true)
      await start()
      await sendReports(slots, { base }, names)
    },
    untold: () => slots.state().outcomes.length,
  }
}
