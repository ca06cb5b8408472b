import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { formatTicket } from '../../../contracts/operations/enrolment-code.ts'
import { TerminalRefused } from '../../supervisor/terminal-refused.ts'
import { launchNode } from '../../supervisor/service.ts'
import { startTerminal, type CentralReady, type RunningTerminal } from '../../supervisor/terminal.ts'
import { isFree } from '../../store-server/db/start-postgres.ts'
import { issueCodes } from '../../store-server/enrolment/issue.ts'
import { createLog } from '../../store-server/log.ts'
import { openDatabase } from '../../store-server/database.ts'
import { NEW_LANE, type DemoFolder, type LaneState } from './folder.ts'
import type { DemoServer } from './store.ts'

const at = (file: string): string => fileURLToPath(new URL(`../../../${file}`, import.meta.url))
const CODE_MS = 3_600_000
const DEVICE = 'terminal.device'

export async function enrolLanes(
  place: DemoFolder,
  server: DemoServer,
  { store, lanes, isEnding }: { store: string; lanes: readonly string[]; isEnding: () => boolean },
): Promise<readonly string[]> {
  const { ready, certificate } = server
  const here = `${ready.url} ${ready.fingerprint}`
  const isEnrolled = (lane: string): boolean =>
    place.state().lanes[lane]?.enrolledAt === here && existsSync(path.join(place.lane(lane), DEVICE))
  const unenrolled = lanes.filter((lane) => !isEnrolled(lane))
  if (unenrolled.length === 0) return []
  const postgres = await openDatabase(server.database, { log: createLog('error') })
  try {
    const now = new Date()
    const storeServer = { url: ready.url, ca: certificate }
    const codes = await issueCodes(
      postgres,
      unenrolled.map((lane) => ({ store, lane, clientSecret: null, pins: [], storeServer })),
      { now, expiresAt: new Date(now.getTime() + CODE_MS) },
    )
    for (const { lane, code } of codes) {
      if (isEnding()) break
      await enrol(place, lane, formatTicket({ service: ready.url, code, certificate: ready.fingerprint }))
      saveLane(place, lane, { enrolledAt: here })
    }
  } finally {
    await postgres.close()
  }
  return unenrolled
}

async function enrol(place: DemoFolder, lane: string, ticket: string): Promise<void> {
  const args = ['enrol', '--data', place.lane(lane), '--profile', place.profile, '--lane', lane]
  const child = spawn(process.execPath, [at('backend/operations/provision.ts'), ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  child.stdin.end(`${ticket}\n`)
  const [output] = await Promise.all([text(child.stderr), once(child, 'close')])
  if (child.exitCode !== 0) throw new TerminalRefused(`Lane ${lane} could not be enrolled. ${output.trim()}`, 1)
}

export interface DemoLane {
  readonly id: string
  readonly launchUrl: string
  readonly terminal: RunningTerminal
}

/** Starts a lane that uses the shared training services, at its former address if possible. */
export async function startLane(
  place: DemoFolder,
  id: string,
  { services, port, log }: { services: CentralReady; port: number | null; log: (line: string) => void },
): Promise<DemoLane> {
  const before = place.state().lanes[id]?.port ?? null
  const logLane = (line: string): void => log(`Lane ${id}: ${line}`)
  const terminal = await startTerminal({
    mode: 'training',
    profileFile: () => place.profile,
    dataFolder: place.lane(id),
    lane: id,
    listen: { kind: 'port', port: port ?? (before !== null && (await isFree(before)) ? before : 0) },
    backendMain: at('backend/main.ts'),
    centralMain: at('packages/central/main.ts'),
    services,
    staticFolder: at('build/renderer'),
    launch: launchNode,
    secrets: {},
    log: logLane,
    onFreshLink: (ready) => {
      if ('launchUrl' in ready) logLane(`a window requested a link. Open ${ready.launchUrl}`)
    },
    onBackendAgain: (ready) => {
      if ('launchUrl' in ready) logLane(`restarted. Open ${ready.launchUrl} if its page asks for it.`)
    },
  })
  if (!('launchUrl' in terminal.backend)) throw new TerminalRefused(`Lane ${id} printed no address to open.`, 1)
  const { url, launchUrl } = terminal.backend
  saveLane(place, id, { port: Number(new URL(url).port) })
  return { id, launchUrl, terminal }
}

function saveLane(place: DemoFolder, lane: string, change: Partial<LaneState>): void {
  const { lanes } = place.state()
  place.save({ lanes: { ...lanes, [lane]: { ...(lanes[lane] ?? NEW_LANE), ...change } } })
}
