import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CHANNEL_FILE, type Channel, REPORTS_PLACE, Report } from '../delivery/updates/formats.ts'
import type { StoreContext, UpdateKeys, UpdateSettings } from './context.ts'
import { refusal } from './server.ts'
import {
  type HaltRequest,
  countOthers,
  holdsBack,
  storeReport,
  newestHaltRequest,
  noteHalt,
  requestHalt,
  tallyAtHalt,
  tallyReports,
} from './updates.sql.ts'
import { signerOf } from '../delivery/keys.ts'
import { newestTrust, firstTrust, trustedIn } from '../delivery/trust.ts'
import { refused } from './log.ts'
import PQueue from 'p-queue'
import { changeChannel, readChannel, withRelease } from '../delivery/updates/release-folder.ts'
import { stopsWave, tallySince } from '../delivery/updates/choose.ts'
import type { Querying } from './db/postgres.ts'

export const UPDATES_PREFIX = '/updates/'

/** Maximum number of reporting lanes, above the lanes of any chain; more can only be fabricated. */
const MAX_LANES = 50_000
const BODY_LIMIT = 4 * 1024
/** Pattern of the files served in addition to the channel; all other files are private. */
const FILE_OF_VERSION = /^\/(manifests\/[0-9a-f]{64}\.signed|files\/[0-9a-f]{64}\.gz)$/
const YEAR_SECONDS = 31_536_000
const RETRY_SECONDS = 600

export async function updateRoutes(app: FastifyInstance, ctx: StoreContext): Promise<void> {
  const { db, now, settings } = ctx
  const { updates } = settings
  if (updates === null) return
  const { folder, tokens } = updates
  /**
   * The reports of a version are counted and its wave is halted in one step at a time, so that concurrent reports halt
   * the wave once.
   */
  const checks = new PQueue({ concurrency: 1 })
  mkdirSync(folder, { recursive: true })
  // The channel has its own route, which matches every spelling of its path, so that no spelling bypasses a halt.
  app.get(`${UPDATES_PREFIX}${CHANNEL_FILE}`, async (request, reply) => {
    const version = await withheldVersion(db, updates)
    if (version !== null) {
      request.log.warn({ version }, 'the channel is held back: too many lanes rolled back a version')
      return reply.code(503).header('retry-after', RETRY_SECONDS).send(refusal('held-back'))
    }
    const file = join(folder, CHANNEL_FILE)
    if (!existsSync(file)) return reply.code(404).send(refusal('nothing-published'))
    return reply.type('application/octet-stream').header('cache-control', 'no-store').send(readFileSync(file))
  })
  await app.register(fastifyStatic, {
    root: folder,
    prefix: UPDATES_PREFIX,
    index: false,
    cacheControl: false,
    allowedPath: (pathName) => FILE_OF_VERSION.test(pathName),
    // Files of versions are named by their own hash, so their content never changes.
    setHeaders: (reply) => reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`),
  })
  const config = { forLanes: tokens }
  app.post(`${UPDATES_PREFIX}${REPORTS_PLACE}`, { bodyLimit: BODY_LIMIT, config }, async (request, reply) => {
    const { caller } = request
    if (tokens && caller === null) return reply.code(401).send(refusal('token'))
    const read = Report.safeParse(request.body)
    if (!read.success) return reply.code(400).send(refusal('unreadable'))
    const report = read.data
    if (caller !== null && (caller.store !== report.store || caller.lane !== report.lane))
      return reply.code(403).send(refusal('other-lane'))
    const channel = channelOf(updates)
    // The channel is being copied, or its disk is unavailable: the lane must not delete its report.
    if (channel === null) return reply.code(503).send(refusal('nothing-published'))
    if (!channel.releases.some(({ version }) => version === report.version))
      return reply.code(404).send(refusal('version-unknown'))
    if ((await countOthers(db, report)) >= MAX_LANES) return reply.code(503).send(refusal('full'))
    await storeReport(db, report, new Date(now()))
    // A repeated report is checked too: the answer to the first one or the halt may have been lost.
    await checks.add(() => checkWave(ctx, updates, report.version))
    return reply.code(204).send()
  })
}

/**
 * Reads the trusted keys of a folder written by `npm run milepost keys`, and the private key of a trusted one if the
 * server may halt waves. Throws a readable Error.
 */
export function readUpdateKeys(folder: string, passphrase: string | null): UpdateKeys {
  const lists = join(folder, 'trust')
  const [first, ...others] = existsSync(lists)
    ? readdirSync(lists)
        .filter((name) => name.endsWith('.keys'))
        .toSorted()
        .map((name) => readFileSync(join(lists, name)))
    : []
  const own = first && firstTrust(first)
  if (!own) throw refused('noTrust', { folder: lists })
  const trust = newestTrust(own, others)
  for (const { id } of trust.keys.toReversed()) {
    const file = join(folder, `${id}.private.pem`)
    if (!existsSync(file)) continue
    try {
      return { trusted: trustedIn(trust), signer: signerOf(readFileSync(file, 'utf8'), passphrase) }
    } catch {
      throw refused('keyLocked', { file })
    }
  }
  return { trusted: trustedIn(trust), signer: null }
}

const channelOf = ({ folder, keys }: UpdateSettings): Channel | null => readChannel(folder, keys.trusted)

async function withheldVersion(db: Querying, updates: UpdateSettings): Promise<string | null> {
  const request = await newestHaltRequest(db)
  return request !== null && holdsBack(request, channelOf(updates)) ? request.version : null
}

async function checkWave(ctx: StoreContext, updates: UpdateSettings, version: string): Promise<void> {
  const { db } = ctx
  const tally = await tallyReports(db, version)
  const channel = channelOf(updates)
  const release = channel?.releases.find((one) => one.version === version)
  if (!channel || !release) return
  const request = await newestHaltRequest(db)
  const isStopped = release.halted || (request !== null && holdsBack(request, channel))
  if (!isStopped) {
    if (!stopsWave(tallySince(tally, await tallyAtHalt(db, version)))) return
    await halt(ctx, updates, { version, ...tally, sequence: channel.sequence, at: new Date(ctx.now()).toISOString() })
  }
  // Stores the tally of this halt: if an installer, who has seen these reports, resumes the wave, only later reports
  // count.
  await noteHalt(db, version, tally)
}

/**
 * Halts a wave: with a private key signs a channel that halts it; always requests that lanes get no older channel.
 */
async function halt(
  { db, log, now }: StoreContext,
  { folder, keys }: UpdateSettings,
  request: HaltRequest,
): Promise<void> {
  const { version, running, left } = request
  const facts = { version, running, left }
  if (keys.signer !== null) {
    changeChannel(folder, {
      signer: keys.signer,
      trusted: keys.trusted,
      now: new Date(now()),
      to: (before) => before && withRelease(before, version, { halted: true }),
    })
    log.warn(facts, 'too many lanes rolled back this version: its wave is halted')
  }
  await requestHalt(db, request)
  if (keys.signer === null)
    log.error(
      facts,
      'TOO MANY LANES ROLLED BACK THIS VERSION, and this server has no key to halt it. It serves no channel ' +
        `until you sign another: npm run milepost -- updates halt ${version} --out ${folder}`,
    )
}
