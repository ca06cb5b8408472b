import fastifyStatic from '@fastify/static'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CHANNEL_FILE, type Channel, REPORTS_PLACE, Report } from '../../delivery/updates/formats.ts'
import { type Feature, refusal } from '../http/server.ts'
import {
  type HaltRequest,
  countOthers,
  holdsBack,
  keepReport,
  newestHaltRequest,
  noteHalt,
  requestHalt,
  tallyAtHalt,
  tallyReports,
} from './updates.sql.ts'
import { type Signer, signerOf } from '../../delivery/keys.ts'
import type { Trusted } from '../../delivery/signed.ts'
import { newestTrust, ownTrust, trustedIn } from '../../delivery/trust.ts'
import { refused } from '../log.ts'
import PQueue from 'p-queue'
import { changeChannel, readChannel, withRelease } from '../../delivery/updates/release-folder.ts'
import { type Tally, stopsWave, tallySince } from '../../delivery/updates/choose.ts'
import type { Querying } from '../db/postgres.ts'

/** Where a lane finds what is published, and tells what became of it. */
export const UPDATES_PREFIX = '/updates/'

/** More lanes than any coalition has: what is beyond it is somebody who makes reports up. */
const MOST_LANES = 50_000
const BODY_LIMIT = 4 * 1024
/** What a lane asks for beside the channel, and nothing else of the folder. */
const PUBLISHED = /^\/(manifests\/[0-9a-f]{64}\.signed|files\/[0-9a-f]{64}\.gz)$/
const YEAR_SECONDS = 31_536_000
const RETRY_SECONDS = 600

export interface UpdatesOptions extends Omit<HaltsOptions, 'log'> {
  /** Which lane calls; null: none. Undefined: this server takes reports of anybody. */
  readonly identify?: (request: FastifyRequest) => Promise<Pick<Report, 'store' | 'lane'> | null>
}

/**
 * The updates of the program: gives out what is published, takes what lanes report, and halts a wave that too many
 * lanes leave.
 */
export const updates = ({ identify, ...options }: UpdatesOptions): Feature => ({
  name: 'updates',
  async routes(app) {
    const { postgres } = options
    const halts = createHalts({ ...options, log: app.log })
    mkdirSync(options.folder, { recursive: true })
    // By a route of its own, which every spelling of its address meets.
    app.get(`${UPDATES_PREFIX}${CHANNEL_FILE}`, async (request, reply) => {
      const version = await halts.heldBackFor()
      if (version !== null) {
        request.log.warn({ version }, 'the channel is held back: too many lanes left a version')
        return reply.code(503).header('retry-after', RETRY_SECONDS).send(refusal('held-back'))
      }
      const file = join(options.folder, CHANNEL_FILE)
      if (!existsSync(file)) return reply.code(404).send(refusal('nothing-published'))
      return reply.type('application/octet-stream').header('cache-control', 'no-store').send(readFileSync(file))
    })
    await app.register(fastifyStatic, {
      root: options.folder,
      prefix: UPDATES_PREFIX,
      index: false,
      cacheControl: false,
      allowedPath: (pathName) => PUBLISHED.test(pathName),
      // What is called by its own hash never changes.
      setHeaders: (reply) => reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`),
    })
    const config = { forLanes: identify !== undefined }
    app.post(`${UPDATES_PREFIX}${REPORTS_PLACE}`, { bodyLimit: BODY_LIMIT, config }, async (request, reply) => {
      const caller = await identify?.(request)
      if (caller === null) return reply.code(401).send(refusal('token'))
      const read = Report.safeParse(request.body)
      if (!read.success) return reply.code(400).send(refusal('unreadable'))
      const report = read.data
      if (caller !== undefined && (caller.store !== report.store || caller.lane !== report.lane))
        return reply.code(403).send(refusal('other-lane'))
      const channel = halts.channel()
      // It is being copied, or its disk is away: the lane keeps its report.
      if (channel === null) return reply.code(503).send(refusal('nothing-published'))
      if (!channel.releases.some(({ version }) => version === report.version))
        return reply.code(404).send(refusal('version-unknown'))
      if ((await countOthers(postgres, report)) >= MOST_LANES) return reply.code(503).send(refusal('full'))
      await keepReport(postgres, report, options.now())
      // Also of one that came before: it was kept, and its answer or the halt was lost.
      await halts.look(report.version)
      return reply.code(204).send()
    })
  },
})

/** Whose channel is believed, and with what a halt is signed; no signer: the folder has no private key. */
export interface UpdateKeys {
  readonly trusted: Trusted
  readonly signer: Signer | null
}

/**
 * The keys of a folder as `npm run milepost keys` keeps them: the lists of trusted keys, and the private part of one
 * that is trusted where the server is to halt waves by itself. Throws an Error in plain words.
 */
export function readUpdateKeys(folder: string, passphrase: string | null): UpdateKeys {
  const lists = join(folder, 'trust')
  const [first, ...others] = existsSync(lists)
    ? readdirSync(lists)
        .filter((name) => name.endsWith('.keys'))
        .toSorted()
        .map((name) => readFileSync(join(lists, name)))
    : []
  const own = first && ownTrust(first)
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

export interface HaltsOptions {
  /** What is published. */
  readonly folder: string
  readonly keys: UpdateKeys
  readonly now: () => Date
  readonly postgres: Querying
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}

export type Halts = ReturnType<typeof createHalts>

/** Stops a wave: by a channel that says so where there is a key, else by giving no channel out until somebody signs. */
export function createHalts({ folder, keys, now, postgres, log }: HaltsOptions) {
  /** What is tallied, and halted by it, is one step: a report beside it halts nothing twice. */
  const looks = new PQueue({ concurrency: 1 })

  async function halt(version: string, tally: Tally, channel: Channel): Promise<void> {
    const facts = { version, ...tally }
    const request: HaltRequest = { ...facts, sequence: channel.sequence, at: now().toISOString() }
    if (keys.signer !== null) {
      changeChannel(folder, {
        signer: keys.signer,
        trusted: keys.trusted,
        now: now(),
        to: (before) => before && withRelease(before, version, { halted: true }),
      })
      log.warn(facts, 'too many lanes left this version: its wave is halted')
      await requestHalt(postgres, request)
      return
    }
    await requestHalt(postgres, request)
    log.error(
      facts,
      'TOO MANY LANES LEFT THIS VERSION, and this server has no key to halt it. It gives the channel to nobody ' +
        `until you sign another: npm run milepost -- updates halt ${version} --out ${folder}`,
    )
  }

  async function look(version: string): Promise<void> {
    const tally = await tallyReports(postgres, version)
    const channel = readChannel(folder, keys.trusted)
    const release = channel?.releases.find((one) => one.version === version)
    if (!channel || !release) return
    const request = await newestHaltRequest(postgres)
    const isStopped = release.halted || (request !== null && holdsBack(request, channel))
    if (!isStopped) {
      if (!stopsWave(tallySince(tally, await tallyAtHalt(postgres, version)))) return
      await halt(version, tally, channel)
    }
    // Until it goes on again: whoever lets it has seen these.
    await noteHalt(postgres, version, tally)
  }

  return {
    /** What is published, as a trusted key has signed it; null: nothing yet. */
    channel: (): Channel | null => readChannel(folder, keys.trusted),

    /** After each report: whether the wave of this version goes on. */
    look: (version: string): Promise<void> => looks.add(() => look(version)),

    /** The version for whose sake the channel is held back; null: it is given out. */
    async heldBackFor(): Promise<string | null> {
      const request = await newestHaltRequest(postgres)
      return request !== null && holdsBack(request, readChannel(folder, keys.trusted)) ? request.version : null
    },
  }
}
