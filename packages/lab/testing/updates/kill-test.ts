import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../../../../contracts/core/command-line.ts'
import { newSigner } from '../../../delivery/testing/bundle-content.ts'
import { releaseFolder, serveFolder, type FileServer } from '../../../delivery/testing/release-folder.ts'
import { createSeededRng, type SeededRng } from '../../simulation/rng.ts'
import {
  copyLane,
  FIRST_PIN,
  installLane,
  type InstalledLane,
  type Running,
} from '../../../delivery/testing/installed-lane.ts'
import { firstLoss, readRecords, sell, type Records } from './journal.ts'
import { makeProgram, schemaOf } from '../../../delivery/testing/installed-programs.ts'

const USAGE = `npm run lab -- updates [options]

Updates an installed lane from a server and kills all its processes at random moments (SIGKILL): while it
downloads, switches to the new program, migrates the database, or starts for the first time. After each kill it is
started again, sells, and is closed; no entry of its journal may be missing.

  --kills N   number of kills (default 100)
  --seed S    draws the moments (default: a new one, printed)
  --help      this text

Exits with 1 if a start fails or a record is lost.`

const root = fileURLToPath(new URL('../../../..', import.meta.url))
/** Work folder inside the source tree, so that the program finds the packages of its parent folders. */
const work = join(root, 'build', 'updates-test', String(process.pid))
/** Number of kills after which the test continues with a new lane of the old version. */
const KILLS_A_LANE = 5
const START_MS = 60_000

interface Tally {
  kills: number
  readonly ends: Map<string, number>
  readonly at: Map<string, number>
  readonly moments: Map<string, number>
}

const count = (tally: Map<string, number>, what: string): void => {
  tally.set(what, (tally.get(what) ?? 0) + 1)
}
const shown = (tally: ReadonlyMap<string, number>): string =>
  [...tally].map(([what, times]) => `${what} ${times}`).join(', ')

function within<T>(work: Promise<T>, running: Running): Promise<T> {
  return Promise.race([
    work,
    delay(START_MS, undefined, { ref: false }).then(() => {
      throw new Error(`no result within ${START_MS / 1000} s:\n${running.output()}`)
    }),
  ])
}

async function serveOnce(lane: InstalledLane, before: Records, sold: readonly string[] = []): Promise<Records> {
  const running = lane.start()
  const id = await within(running.link().then(sell), running)
  running.child.kill('SIGTERM')
  const code = await within(running.ended, running)
  if (code !== 0) throw new Error(`closing the lane ended with ${code}:\n${running.output()}`)
  const now = readRecords(lane.database)
  const lost = firstLoss(before, [...sold, id], now)
  if (lost !== null) throw new Error(`${lost}:\n${running.output()}`)
  return now
}

function stepOf(lane: InstalledLane, schema: number, before: number): string {
  const { good, pending, trial, refused } = lane.state()
  if (good === 'b') return 'served'
  if (refused.length > 0) return 'given up'
  if (trial !== null) return `try ${trial.starts}${schema > before ? ', database migrated' : ''}`
  return pending === null ? 'fetching' : 'waiting'
}

/**
 * Events after which a lane is killed: any time, a file requested by the lane, or a line of its output. They cover the
 * download, the wait, the switch of programs, the start with its migration, and the first sale.
 */
const MOMENTS = [
  'any',
  'file',
  'will be tried at its time',
  'at the next start',
  'Trying Milepost',
  'Data: ',
  'ready; open',
] as const
/** A kill after the new version has served for half a minute and becomes the good one; only in a long run. */
const SERVED = 'served'
const SERVES_WITHIN_MS = 60_000
const LONG_RUN = 50
type Moment = (typeof MOMENTS)[number] | typeof SERVED

async function reached(lane: InstalledLane, running: Running, server: FileServer, moment: Moment, rng: SeededRng) {
  if (moment === 'any') return delay(rng.below(longest))
  if (moment === SERVED) return served(lane, rng)
  // A lane on trial downloads no files, and past output does not repeat, so the wait is limited.
  const latest = delay(longest, undefined, { ref: false })
  await Promise.race([moment === 'file' ? asked(server, 1 + rng.below(4)) : running.untilOutput(moment), latest])
  server.instead = () => false
  await delay(rng.below(Math.ceil(longest / 8)))
}

/** Resolves up to 100 ms after the new version became the good one: reports and cleanup follow this change. */
async function served(lane: InstalledLane, rng: SeededRng): Promise<void> {
  for (const began = performance.now(); lane.state().good === 'a'; await delay(5))
    if (performance.now() - began > SERVES_WITHIN_MS) return
  await delay(rng.below(100))
}

function asked(server: FileServer, many: number): Promise<void> {
  server.requests.length = 0
  return new Promise((resolve) => {
    server.instead = () => {
      if (server.requests.length >= many) resolve()
      return false
    }
  })
}

async function killOne(
  lane: InstalledLane,
  start: Records,
  server: FileServer,
  rng: SeededRng,
  tally: Tally,
  most: number,
): Promise<void> {
  let records = start
  for (let kills = 0; kills < KILLS_A_LANE && tally.kills < most; kills += 1) {
    const running = lane.run(['update', 'check', '--from', server.base], ['update', 'now'], ['start', '--no-window'])
    const sold: string[] = []
    // The kill may interrupt the sale: only an acknowledged sale must survive.
    const selling = running
      .link()
      .then(sell)
      .then(
        (id) => sold.push(id),
        () => undefined,
      )
    const moment = most >= LONG_RUN && rng.onceIn(12) ? SERVED : rng.pick(MOMENTS)
    await reached(lane, running, server, moment, rng)
    await running.kill()
    await selling
    tally.kills += 1
    count(tally.moments, moment)
    records = await serveOnce(lane, records, sold)
    count(tally.at, stepOf(lane, records.schema, start.schema))
    const { good, refused: given } = lane.state()
    if (good === 'b' || given.length > 0) break
  }
  const { good, trial, refused } = lane.state()
  count(tally.ends, good === 'b' ? 'updated' : refused.length > 0 ? 'went back' : trial ? 'on trial' : 'not yet')
}

/** Milliseconds from the check for a new version to its first sale; measured before the first kill. */
let longest = 0

async function main(kills: number, seed: string): Promise<void> {
  execFileSync(process.execPath, [...process.execArgv, 'scripts/build.ts', '--stale'], { cwd: root, stdio: 'inherit' })
  mkdirSync(work, { recursive: true })
  const signer = newSigner()
  const versions = releaseFolder(join(work, 'published'), signer)
  const files = makeProgram(join(work, 'old'), '1.0.0', { hasMigration: false })
  const sealed = versions.put('1.0.0', files, { schema: schemaOf(files) })
  const newer = makeProgram(join(work, 'new'), '1.1.0', { hasMigration: true })
  versions.put('1.1.0', newer, { schema: schemaOf(newer) })
  versions.announce({ stable: '1.1.0', expiresAt: '2126-01-01T00:00:00Z' })
  const server = await serveFolder(versions.folder)
  try {
    const first = installLane(join(work, 'first'), { files, sealed, signer, updatesUrl: server.base })
    await first.command(['set-secret'], 'made up\n')
    await closed(first.start())
    await first.command(['set-pin', 'omar'], `${FIRST_PIN}\n`)
    const empty: Records = { entries: new Map(), sales: new Set(), schema: 0 }
    const start = await serveOnce(first, empty)
    longest = await measured(copyLane(first.folder, join(work, 'measured')), server.base)
    console.log(`seed ${seed}: ${kills} kills, each within ${longest} ms of the check for a new version`)
    const rng = createSeededRng('updates', seed)
    const tally: Tally = { kills: 0, ends: new Map(), at: new Map(), moments: new Map() }
    while (tally.kills < kills) {
      const lane = copyLane(first.folder, join(work, 'lane'))
      await killOne(lane, start, server, rng, tally, kills)
      console.log(`${tally.kills} kills; lanes: ${shown(tally.ends)}`)
    }
    console.log(`${tally.kills} kills, each followed by a start, a sale and a graceful stop; no journal entry lost`)
    console.log(`killed from: ${shown(tally.moments)}`)
    console.log(`progress at the kill: ${shown(tally.at)}`)
  } finally {
    await server.close()
    rmSync(work, { recursive: true, force: true })
  }
}

async function closed(running: Running): Promise<void> {
  await within(running.link(), running)
  running.child.kill('SIGTERM')
  await within(running.ended, running)
}

async function measured(lane: InstalledLane, base: string): Promise<number> {
  const began = performance.now()
  const running = lane.run(['update', 'check', '--from', base], ['update', 'now'], ['start', '--no-window'])
  await within(running.link().then(sell), running)
  const took = performance.now() - began
  const { trial, good } = lane.state()
  await running.kill()
  // Kills of a new version that never starts would prove nothing.
  if (trial === null && good === 'a') throw new Error(`the new version does not start:\n${running.output()}`)
  return Math.round(took * 1.1)
}

await runCommand(
  process,
  `${USAGE}\n`,
  { texts: 'seed', numbers: { kills: [0, 999_999_999] } },
  async ({ values: { kills = 100, seed = String(randomInt(1_000_000)) } }) => {
    try {
      await main(kills, seed)
      return 0
    } catch (error) {
      console.error(error)
      return 1
    }
  },
)
