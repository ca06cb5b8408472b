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
  readonly installed: { readonly version: SimulatedVersion; readonly program: string }
  readonly trust: TrustList
  readonly base: string
  readonly now: () => Date
  /** Returns how a version fails on this lane; null: the version starts. */
  readonly failureOf: (version: string) => WhyRefused | null
}

/**
 * A lane with Milepost’s own update client: slots on disk, downloads and reports over HTTP. Only the start of a program
 * is simulated.
 */
export interface SimulatedLane {
  readonly store: string
  readonly lane: string
  version(): string
  readonly tried: readonly string[]
  check(): Promise<string>
  close(): Promise<void>
  unsentReports(): number
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

  async function start(): Promise<void> {
    const before = schema
    for (;;) {
      const decision = await slots.decideStart(own(), schema)
      if (decision.kind === 'self') {
        // After a failed trial, the lane has the copy of the database from before the update; no sale was made in the
        // meantime.
        if (decision.rolledBack !== null) schema = before
        return
      }
      if (tried.at(-1) !== decision.version) tried.push(decision.version)
      if (isSimulated(decision.version)) schema = VERSIONS[decision.version].schema
      const why = failureOf(decision.version)
      if (why === null) {
        slots.noteReady(decision.slot)
        slots.confirm(decision.slot)
        slots.clear()
        return
      }
      if (why !== 'killed') slots.noteFailure(why)
    }
  }

  async function check(): Promise<string> {
    const checked = await checkForUpdate({ slots, own: own(), source: { base }, lane: { ...names, schema }, now })
    await sendReports(slots, { base }, names)
    return checked.kind === 'refused' ? `${checked.what} ${checked.why}` : checked.kind
  }

  return {
    ...names,
    version,
    tried,
    check,
    async close() {
      // The backend also checks before it switches versions, because the waiting version may have been halted.
      await check()
      slots.arm(true)
      await start()
      await sendReports(slots, { base }, names)
    },
    unsentReports: () => slots.state().outcomes.length,
  }
}
