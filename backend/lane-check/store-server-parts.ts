import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { LaneFinding } from '../../contracts/api/lane-check.ts'
import { LanesOfStore, OVERVIEW_PATHS } from '../../contracts/store/overview.ts'
import { STORE_PROTOCOL, StoreRefusal, type LaneMode } from '../../contracts/store/protocol.ts'
import { createLaneStore } from '../features/enrolment/lane-store.ts'
import { readSealKey } from '../seal-key.ts'
import { createStoreChannel, type StoreAnswer } from '../store/channel.ts'
import { storePlaceOf } from '../store/create-store.ts'
import { finding } from './finding.ts'
import type { ReadLane } from './lane.ts'

const DEADLINE_MS = 4_000
/** The system's own name of what went wrong is of no language. */
const SystemName = z.string().regex(/^[A-Z_]+$/)

const OfStore = LanesOfStore.pick({ mode: true })

/** Whether the store's server answers, believed by its certificate, and knows this lane. Nothing is changed there. */
export async function checkStoreServer(lane: ReadLane, signal: AbortSignal): Promise<LaneFinding[]> {
  if (!existsSync(join(lane.dataFolder, 'terminal.device'))) return [finding('store-alone')]
  const masterKey = keyOf(lane)
  const device = masterKey && createLaneStore({ dataFolder: lane.dataFolder, masterKey, keyStore: false }).device()
  if (device === null) return [finding('store-unseen')]
  const place = storePlaceOf(device)
  if (place === null) return [finding('store-alone')]
  const channel = createStoreChannel(place)
  try {
    const asked = { protocol: STORE_PROTOCOL }
    const answer = await channel.post(OVERVIEW_PATHS.lanes, asked, DEADLINE_MS, signal)
    const mode = lane.read.kind === 'good' ? lane.read.profile.mode : null
    return [findingOf(new URL(place.url).host, answer, mode)]
  } finally {
    channel.close()
  }
}

function findingOf(host: string, answer: StoreAnswer, mode: LaneMode | null): LaneFinding {
  if (answer.kind === 'away') {
    const name = SystemName.safeParse(answer.reason)
    return finding('store-away', { host, reason: name.success ? name.data : 'ETIMEDOUT' })
  }
  if (answer.status === 200) {
    const ofStore = OfStore.safeParse(answer.body).data?.mode ?? null
    if (mode !== null && ofStore !== null && ofStore !== mode) return finding('store-other-mode', { host })
    return finding('store-reached', { host, ms: Math.round(answer.ms) })
  }
  const refusal = StoreRefusal.safeParse(answer.body)
  if (refusal.success && ['token', 'proof'].includes(refusal.data.refused)) return finding('store-refused', { host })
  if (refusal.success && refusal.data.refused === 'protocol') return finding('store-other-version', { host })
  return finding('store-away', { host, reason: `HTTP ${answer.status}` })
}

/** The key with which the enrolment was sealed; null where it cannot be read from here. */
function keyOf({ dataFolder, environment }: ReadLane): Uint8Array | null {
  const file = join(dataFolder, 'seal.key')
  return existsSync(file) ? Buffer.from(readFileSync(file, 'utf8').trim(), 'base64') : readSealKey(environment)
}
