import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../../../../contracts/core/command-line.ts'
import { newSigner } from '../../../delivery/testing/parts.ts'
import { releaseFolder, serveFolder, type FileServer } from '../../../delivery/testing/release-folder.ts'
import { createSeededRng, type SeededRng } from '../../simulation/rng.ts'
import {
  copyLane,
  FIRST_PIN,
  installLane,
  type InstalledLane,
  type Running,
} from '../../../delivery/testing/installed-lane.ts'
import { lostSince, readKept, sell, type Kept } from './journal.ts'
import { makeProgram, schemaOf } from '../../../delivery/testing/installed-programs.ts'

const USAGE = `npm run lab -- updates [options]

Updates an installed lane from a real server and kills it at random moments (SIGKILL, everything at once): while it
fetches, takes the new program's place, brings up the database, or starts for the first time. After each kill it is
started again, sells, and is closed; not one entry of its journal may be gone.

  --kills N   so many kills (default 100)
  --seed S    draws the moments (default: a new one, printed)
  --help      this text

Ends with 1 when a start fails or something is lost.`

const root = fileURLToPath(new URL('../../../..', import.meta.url))
/** In the checkout: a program without packages of its own finds them further up. */
const work = join(root, 'build', 'updates-test', String(process.pid))
/** After so many kills another lane is taken, that is not updated yet. */
const KILLS_A_LANE = 5
/** A start is waited for so long at most. */
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
      throw new Error(`nothing came of it for ${START_MS / 1000} s:\n${running.said()}`)
    }),
  ])
}

/** Started, sold at and closed: what it holds then. Throws where something is lost. */
async function serveOnce(lane: InstalledLane, before: Kept, sold: readonly string[] = []): Promise<Kept> {
  const running = lane.start()
  const id = await within(running.link().then(sell), running)
  running.child.kill('SIGTERM')
  const code = await within(running.ended, running)
  if (code !== 0) throw new Error(`closing it ended with ${code}:\n${running.said()}`)
  const now = readKept(lane.database)
  const lost = lostSince(before, [...sold, id], now)
  if (lost !== null) throw new Error(`${lost}:\n${running.said()}`)
  return now
}

/** How far the lane was when it was killed, by what its state says. */
function stepOf(lane: InstalledLane, schema: number, before: number): string {
  const { good, pending, trial, refused } = lane.state()
  if (good === 'b') return 'served'
  if (refused.length > 0) return 'given up'
  if (trial !== null) return `try ${trial.starts}${schema > before ? ', database brought up' : ''}`
  return pending === null ? 'fetching' : 'waiting'
}

/**
 * From when on a lane is killed: any time at all, a file that is asked for, or what it says. While it is fetched; while
 * it waits; while it takes its place; while it starts and brings up the database; while it sells for the first time.
 */
const MOMENTS = [
  'any',
  'file',
  'waits for its time',
  'at the next start',
  'is tried.',
  'Data: ',
  'ready; open',
] as const
/** In a long run too: when it has just served for half a minute, and is the good one. */
const SERVED = 'served'
const SERVES_WITHIN_MS = 60_000
const LONG_RUN = 50
type Moment = (typeof MOMENTS)[number] | typeof SERVED

async function reached(lane: InstalledLane, running: Running, server: FileServer, moment: Moment, rng: SeededRng) {
  if (moment === 'any') return delay(rng.below(longest))
  if (moment === SERVED) return served(lane, rng)
  // What a lane has behind it comes no more: one that is on trial fetches nothing.
  const latest = delay(longest, undefined, { ref: false })
  await Promise.race([moment === 'file' ? asked(server, 1 + rng.below(4)) : running.says(moment), latest])
  server.instead = () => false
  await delay(rng.below(Math.ceil(longest / 8)))
}

/** At the change itself or a little later: what comes with it is told and cleared away then. */
async function served(lane: InstalledLane, rng: SeededRng): Promise<void> {
  for (const began = performance.now(); lane.state().good === 'a'; await delay(5))
    if (performance.now() - began > SERVES_WITHIN_MS) return
  await delay(rng.below(100))
}

/** Resolves when so many files were asked for. */
function asked(server: FileServer, many: number): Promise<void> {
  server.asked.length = 0
  return new Promise((resolve) => {
    server.instead = () => {
      if (server.asked.length >= many) resolve()
      return false
    }
  })
}

/** Kills one lane again and again until it was updated, or has given the new version up. */
async function killOne(
  lane: InstalledLane,
  start: Kept,
  server: FileServer,
  rng: SeededRng,
  tally: Tally,
  most: number,
): Promise<void> {
  let kept = start
  for (let kills = 0; kills < KILLS_A_LANE && tally.kills < most; kills += 1) {
    const running = lane.run(['update', 'check', '--from', server.base], ['update', 'now'], ['start', '--no-window'])
    const sold: string[] = []
    // Whatever the kill leaves of it; what was acknowledged must be there.
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
    kept = await serveOnce(lane, kept, sold)
    count(tally.at, stepOf(lane, kept.schema, start.schema))
    const { good, refused: given } = lane.state()
    if (good === 'b' || given.length > 0) break
  }
  const { good, trial, refused } = lane.state()
  count(tally.ends, good === 'b' ? 'updated' : refused.length > 0 ? 'went back' : trial ? 'on trial' : 'not yet')
}

/** From the look for a new version to a window of it that sells; measured before the first kill. */
let longest = 0

async function main(kills: number, seed: string): Promise<void> {
  execFileSync(process.execPath, [...process.execArgv, 'scripts/build.ts', '--stale'], { cwd: root, stdio: 'inherit' })
  mkdirSync(work, { recursive: true })
  const signer = newSigner()
  const published = releaseFolder(join(work, 'published'), signer)
  const files = makeProgram(join(work, 'old'), '1.0.0', { hasMigration: false })
  const sealed = published.put('1.0.0', files, { schema: schemaOf(files) })
  const newer = makeProgram(join(work, 'new'), '1.1.0', { hasMigration: true })
  published.put('1.1.0', newer, { schema: schemaOf(newer) })
  published.announce({ stable: '1.1.0', expiresAt: '2126-01-01T00:00:00Z' })
  const server = await serveFolder(published.folder)
  try {
    const first = installLane(join(work, 'first'), { files, sealed, signer, updatesUrl: server.base })
    await first.command(['set-secret'], 'made up\n')
    await closed(first.start())
    await first.command(['set-pin', 'omar'], `${FIRST_PIN}\n`)
    const empty: Kept = { entries: new Map(), sales: new Set(), schema: 0 }
    const start = await serveOnce(first, empty)
    longest = await measured(copyLane(first.folder, join(work, 'measured')), server.base)
    console.log(`seed ${seed}: ${kills} kills, each within ${longest} ms of the look for a new version`)
    const rng = createSeededRng('updates', seed)
    const tally: Tally = { kills: 0, ends: new Map(), at: new Map(), moments: new Map() }
    while (tally.kills < kills) {
      const lane = copyLane(first.folder, join(work, 'lane'))
      await killOne(lane, start, server, rng, tally, kills)
      console.log(`${tally.kills} kills; lanes: ${shown(tally.ends)}`)
    }
    console.log(`${tally.kills} kills, as many starts, sales and ends in order; no journal entry lost`)
    console.log(`killed from: ${shown(tally.moments)}`)
    console.log(`where they were after the start: ${shown(tally.at)}`)
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
  // Kills of a version that never comes up would show nothing.
  if (trial === null && good === 'a') throw new Error(`the new version does not come up:\n${running.said()}`)
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
