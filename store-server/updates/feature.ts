import fastifyStatic from '@fastify/static'
import type { FastifyRequest } from 'fastify'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHANNEL_FILE, Report, REPORTS_PLACE } from '../../delivery/updates/formats.ts'
import { refusal, type Feature } from '../http/server.ts'
import { createHalts, type HaltsOptions } from './halts.ts'
import type { ReportRepository } from './repository.ts'

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
  readonly repository: ReportRepository
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
    const { repository: reports } = options
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
      if ((await reports.others(report)) >= MOST_LANES) return reply.code(503).send(refusal('full'))
      await reports.keep(report, options.now())
      // Also of one that came before: it was kept, and its answer or the halt was lost.
      await halts.look(report.version)
      return reply.code(204).send()
    })
  },
})
