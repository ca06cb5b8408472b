import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  LANE_METRICS_PATH,
  MAX_METRICS_BYTES,
  type MetricsAnswer,
  MetricsRequest,
} from '../../../contracts/store/metrics.ts'
import {
  METRICS_TYPE,
  forgetScrapeToken,
  isScraped,
  makeScrapeToken,
  opensScrape,
} from '../../delivery/metrics-registry.ts'
import type { StoreContext } from '../context.ts'
import { readMigrations } from '../db/migrate.ts'
import { refusal } from '../server.ts'
import { forLane } from '../lanes/caller.ts'
import { refused, translatorOf } from '../log.ts'
import type { StoreCounts } from './counts.ts'
import { lanesText, readSamples } from './lane-samples.ts'
import { createMinuteCheck } from './minute-check.ts'
import { MAX_LANES, storeSamples, lanesWithSamples } from './metrics.sql.ts'
import { createServerMetrics } from './metrics.ts'
import { statSync } from 'node:fs'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'

export const METRICS_TABLES = readMigrations('metrics')

const WRONG_TOKEN =
  'This is not the metrics token of this server. Create a new one: ' +
  'npm run milepost -- store metrics on --data FOLDER'
const BEARER = /^Bearer ([\w-]{1,128})$/i

/**
 * Routes of the server's and the lanes' metrics for Prometheus, with a token for these routes only, and of the samples
 * that lanes send.
 */
export function metricsRoutes(app: FastifyInstance, ctx: StoreContext): void {
  const { db, counts } = ctx
  const { folder } = ctx.settings
  const check = createMinuteCheck(ctx)
  const server = createServerMetrics(ctx, check, new Date())
  app.addHook('onClose', async () => {
    server.stop()
    await check.stop()
  })

  /** Sends the text to a caller with the current metrics token; 404 when the server has no token. */
  const forScraper = (text: () => Promise<string>) => async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isScraped(folder)) return reply.code(404).send(refusal('not-found'))
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined || !opensScrape(folder, token))
      return reply
        .code(401)
        .header('www-authenticate', 'Bearer')
        .send({ ...refusal('scrape-token'), message: WRONG_TOKEN })
    return reply
      .header('cache-control', 'no-store')
      .type(METRICS_TYPE)
      .send(await text())
  }

  app.get('/metrics', forScraper(server.text))
  countRefused(app, counts)
  app.get(
    '/metrics/lanes',
    forScraper(() => textOfLanes(ctx)),
  )
  app.post(
    LANE_METRICS_PATH,
    { bodyLimit: MAX_METRICS_BYTES },
    forLane(MetricsRequest, async (caller, { samples }, request, reply) => {
      const read = readSamples(samples, caller)
      if (read.kind === 'refused') {
        request.outcome = read.why
        return reply.code(422).send(refusal(read.why))
      }
      counts.dropped('lane-series', read.dropped)
      await storeSamples(db, caller, read.accepted)
      return { dropped: read.dropped } satisfies MetricsAnswer
    }),
  )
}

async function textOfLanes({ db, counts }: StoreContext): Promise<string> {
  const lanes = await lanesWithSamples(db)
  if (lanes.length > MAX_LANES) counts.dropped('lanes', lanes.length - MAX_LANES)
  return await lanesText(lanes.slice(0, MAX_LANES))
}

/** Status codes of samples that are too large or malformed; nothing of them is stored. */
const REFUSED: readonly number[] = [400, 413, 415, 422]

function countRefused(app: FastifyInstance, counts: StoreCounts): void {
  app.addHook('onResponse', (request, { statusCode: status }, done) => {
    if (request.routeOptions.url === LANE_METRICS_PATH && REFUSED.includes(status)) {
      const { caller, outcome: why } = request
      counts.dropped('lane-metrics')
      request.log.warn({ store: caller?.store, lane: caller?.lane, status, why }, 'samples of a lane were refused')
    }
    done()
  })
}

export const METRICS_ACTIONS = ['on', 'off', 'status'] as const
export type MetricsAction = (typeof METRICS_ACTIONS)[number]

/**
 * Creates or deletes the metrics token; a running server applies it at once. Prints a new token only on standard
 * output. Throws a readable error for a missing folder or one of another user, where the server could not read a new
 * token.
 */
export function runMetricsSubcommand(
  { data, action }: { readonly data: string; readonly action: MetricsAction },
  locale: Locale = FIRST_LOCALE,
): void {
  needOwn(data)
  const translate = translatorOf(locale)
  const was = isScraped(data)
  switch (action) {
    case 'on':
      process.stdout.write(`${makeScrapeToken(data)}\n`)
      process.stderr.write(
        `${was ? `${translate('metrics.made')} ${translate('metrics.replaced')}` : translate('metrics.made')}\n`,
      )
      return
    case 'off':
      forgetScrapeToken(data)
      process.stdout.write(`${translate('metrics.ended')}\n`)
      return
    case 'status':
      process.stdout.write(`${translate(was ? 'metrics.isOn' : 'metrics.isOff')}\n`)
  }
}

function needOwn(folder: string): void {
  if (process.getuid && ownerOf(folder) !== process.getuid())
    throw refused(['folderOfOther', 'folderOfOtherDo'], { folder })
}

function ownerOf(folder: string): number {
  try {
    return statSync(folder).uid
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EACCES') throw refused(['mayNotRead', 'folderOfOtherDo'], { file: folder }, { cause: error })
    throw code === 'ENOENT' || code === 'ENOTDIR' ? refused('metricsFolder', { folder }, { cause: error }) : error
  }
}
