import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  LANE_METRICS_PATH,
  METRICS_MOST_BYTES,
  MetricsRequest,
  type MetricsAnswer,
} from '../../contracts/store/metrics.ts'
import { METRICS_TYPE } from '../../delivery/metrics-registry.ts'
import { isScraped, opensScrape } from '../../delivery/scrape-token.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Postgres } from '../db/postgres.ts'
import { refusal, type Feature } from '../http/server.ts'
import { createForLane, type Identify } from '../lanes/for-lane.ts'
import type { Log } from '../log.ts'
import type { StoreCounts } from './counts.ts'
import { readSamples } from './lane-samples.ts'
import { lanesText } from './lanes-text.ts'
import { createMinuteCheck } from './minute-check.ts'
import { createMetricsRepository, MOST_LANES, type MetricsRepository } from './repository.ts'
import { createServerMetrics, type CertificateEnds } from './service.ts'

export const METRICS_TABLES = readMigrations('metrics', new URL('./postgres/', import.meta.url))

export interface MetricsOptions {
  readonly counts: StoreCounts
  /** The folder of the server, where the hash of the token is (`npm run store -- metrics on`). */
  readonly folder: string
  readonly version: string
  readonly ends: CertificateEnds
  readonly log: Log
  /** Null: a server without PostgreSQL, which has no lanes. */
  readonly postgres: Postgres | null
  readonly identify: Identify
  /** How often whole tables are read, in milliseconds; default: a minute. */
  readonly checkEveryMs?: number
}

const WRONG_TOKEN =
  'This is not the token of the metrics of this server. Another is made by: npm run store -- metrics on --data FOLDER'
const BEARER = /^Bearer ([\w-]{1,128})$/i

/** What a Prometheus reads of the server and of its lanes, by a token that opens nothing else; and what lanes tell. */
export function metrics(options: MetricsOptions): Feature {
  const { counts, folder, postgres, log, checkEveryMs: everyMs } = options
  const repository = postgres && createMetricsRepository(postgres)
  const isAsked = (): boolean => isScraped(folder)
  const check =
    repository &&
    createMinuteCheck({ metrics: counts.metrics, repository, isScraped: isAsked, log, ...(everyMs ? { everyMs } : {}) })
  const database = postgres && repository && check && { postgres, repository, check }
  const server = createServerMetrics({ ...options, database, startedAt: new Date() })

  /** Answers the text, to whoever has the token of now; without one on the server there is nothing here. */
  const forScraper = (text: () => Promise<string>) => async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isAsked()) return reply.code(404).send(refusal('not-found'))
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

  return {
    name: 'metrics',
    isPurpose: false,
    routes(app) {
      app.get('/metrics', forScraper(server.text))
      if (repository === null) return
      countRefused(app, counts)
      app.get(
        '/metrics/lanes',
        forScraper(() => textOfLanes(repository, counts)),
      )
      app.post(
        LANE_METRICS_PATH,
        { bodyLimit: METRICS_MOST_BYTES },
        createForLane(options.identify)(MetricsRequest, async (caller, { samples }, request, reply) => {
          const read = readSamples(samples, caller)
          if (read.kind === 'refused') {
            request.outcome = read.why
            return reply.code(422).send(refusal(read.why))
          }
          counts.dropped('lane-series', read.dropped)
          await repository.keep(caller, read.kept)
          return { dropped: read.dropped } satisfies MetricsAnswer
        }),
      )
    },
    async close() {
      server.stop()
      await check?.stop()
    },
  }
}

async function textOfLanes(repository: Pick<MetricsRepository, 'lanes'>, counts: StoreCounts): Promise<string> {
  const lanes = await repository.lanes()
  if (lanes.length > MOST_LANES) counts.dropped('lanes', lanes.length - MOST_LANES)
  return await lanesText(lanes.slice(0, MOST_LANES))
}

/** Too large, no samples at all, or samples of no lane: nothing of it is kept. */
const REFUSED: readonly number[] = [400, 413, 415, 422]

function countRefused(app: FastifyInstance, counts: StoreCounts): void {
  app.addHook('onResponse', (request, { statusCode: status }, done) => {
    if (request.routeOptions.url === LANE_METRICS_PATH && REFUSED.includes(status)) {
      const { caller, outcome: why } = request
      counts.dropped('lane-metrics')
      request.log.warn(
        { store: caller?.store, lane: caller?.lane, status, why },
        'what a lane says that it counts was refused',
      )
    }
    done()
  })
}
