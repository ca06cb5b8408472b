import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CheckedSection, LaneCheck, LaneFinding } from '../../../contracts/operations/lane-check-page.ts'
import { LANE_CHECKS, worstState, type LaneCheckId } from '../../../contracts/operations/lane-check.ts'
import { setProxy } from '../../../packages/delivery/outgoing.ts'
import { checkBackup, checkDatabase } from './database-checks.ts'
import { deviceFindings, lookAtDevices, paperFindings } from './device-checks.ts'
import { finding, reasonOf } from './finding.ts'
import { checkFolder, checkKey, checkSecret } from './folder-checks.ts'
import { readLane, type LaneToCheck, type ReadLane } from './lane.ts'
import { checkClock, checkDisk, checkMemory, checkTimeZone } from './machine-checks.ts'
import { certificateFindings, checkAuthorization, networkFindings, probePlaces } from './network-checks.ts'
import {
  checkAutostart,
  checkDisplay,
  checkElectron,
  checkPower,
  checkProgram,
  checkWindow,
  refusedData,
} from './program-checks.ts'
import { checkBundle, checkProfile, checkStoreServer } from './store-checks.ts'

type SectionCheck = (signal: AbortSignal) => LaneFinding[] | Promise<LaneFinding[]>

/** Deadline of the whole check in ms. A section that has not ended by then is marked; the others keep theirs. */
export const DEADLINE_MS = 9_000

function checksOf(lane: ReadLane, signal: AbortSignal): Readonly<Record<LaneCheckId, SectionCheck>> {
  const devices = once(() => lookAtDevices(lane, signal))
  const places = once(() => probePlaces(lane, signal))
  return {
    profile: () => checkProfile(lane),
    bundle: () => checkBundle(lane),
    program: () => checkProgram(lane),
    electron: () => checkElectron(lane),
    folder: () => checkFolder(lane),
    key: () => checkKey(lane),
    secret: () => checkSecret(lane),
    database: async () => {
      const found = await checkDatabase(lane, signal)
      return found.some(({ code }) => code === 'database-damaged') ? found : [...found, ...(await refusedData(lane))]
    },
    backup: () => checkBackup(lane),
    disk: () => checkDisk(lane),
    memory: () => checkMemory(),
    clock: () => checkClock(lane, signal),
    'time-zone': () => checkTimeZone(lane),
    devices: async () => deviceFindings(lane, await devices()),
    paper: async () => paperFindings(lane, await devices()),
    window: () => checkWindow(lane),
    display: () => checkDisplay(),
    autostart: () => checkAutostart(lane),
    power: () => checkPower(signal),
    network: async () => networkFindings(lane, await places()),
    certificates: async () => certificateFindings(lane, await places()),
    authorization: () => checkAuthorization(lane),
    'store-server': () => checkStoreServer(lane, signal),
  }
}

/**
 * Checks a lane, whether its terminal runs or cannot start, and reports every change. Changes no file of the lane,
 * leaves no file behind, and never throws. Sections run in parallel. `onLook` is called with each before it runs, so
 * that a caller knows which section hangs.
 */
export async function runLaneCheck(
  laneToCheck: LaneToCheck,
  onChange: (check: LaneCheck) => void,
  deadlineMs = DEADLINE_MS,
  onLook: (id: LaneCheckId) => void = () => undefined,
): Promise<LaneCheck> {
  let check: LaneCheck = {
    id: randomUUID(),
    startedAt: laneToCheck.now().toISOString(),
    endedAt: null,
    parts: LANE_CHECKS.map((id) => ({ check: id, state: 'running', findings: [], ms: null })),
  }
  onChange(check)
  const lane = readLane(laneToCheck)
  // The terminal's own calls ignore the proxy settings of the environment too.
  if (lane.running === null) await setProxy((lane.read.kind === 'good' ? lane.read.profile.endpoints : null) ?? {})
  const ending = new AbortController()
  const timer = setTimeout(() => {
    ending.abort()
  }, deadlineMs)
  const looks = checksOf(lane, ending.signal)
  const late = new Promise<LaneFinding[]>((resolve) => {
    ending.signal.addEventListener('abort', () => {
      resolve([finding('took-too-long')])
    })
  })
  await Promise.all(
    LANE_CHECKS.map(async (id) => {
      // Lets earlier findings be reported before a read that may hang.
      await nextTurn()
      onLook(id)
      const section = await runSection(id, () => Promise.race([findingsOf(looks[id], ending.signal), late]))
      check = { ...check, parts: check.parts.map((one) => (one.check === id ? section : one)) }
      onChange(check)
    }),
  )
  clearTimeout(timer)
  ending.abort()
  check = { ...check, endedAt: laneToCheck.now().toISOString() }
  onChange(check)
  return check
}

async function runSection(check: LaneCheckId, look: () => Promise<LaneFinding[]>): Promise<CheckedSection> {
  const before = performance.now()
  const findings = await look()
  const ms = Math.round(performance.now() - before)
  return { check, state: worstState(findings.map(({ code }) => code)), findings, ms }
}

async function findingsOf(look: SectionCheck, signal: AbortSignal): Promise<LaneFinding[]> {
  try {
    return await look(signal)
  } catch (error) {
    return [finding('could-not-look', { reason: reasonOf(error) })]
  }
}

function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let begun: Promise<Result> | null = null
  return () => (begun ??= work())
}
