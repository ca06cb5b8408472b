import { z } from 'zod'
import { isScraped, opensScrape } from '../../../delivery/scrape-token.ts'
import type { Routes } from '../../http/app.ts'
import { ProblemError } from '../../http/problem.ts'
import { METRICS_TYPE } from '../../../delivery/metrics-registry.ts'
import type { LaneMetrics } from './service.ts'

const BEARER = /^Bearer ([\w-]{1,128})$/i

/** For a Prometheus: by a token of its own, which opens nothing else. Without one on the lane there is nothing here. */
export const metricsRoutes =
  (metrics: Pick<LaneMetrics, 'text'>, dataFolder: string): Routes =>
  (app) => {
    app.get(
      '/metrics',
      {
        schema: {
          tags: ['metrics'],
          summary: 'What the lane counts and how it stands, as OpenMetrics text: docs/observability.md',
          headers: z.looseObject({ authorization: z.string().max(200).optional().describe('Bearer, and the token') }),
          response: { 200: z.string() },
        },
        config: { access: 'public' },
      },
      async (request, reply) => {
        // Read at each call: a token is made, and taken back, while the lane sells.
        if (!isScraped(dataFolder)) throw new ProblemError('not-found')
        const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
        if (token === undefined || !opensScrape(dataFolder, token)) {
          void reply.header('www-authenticate', 'Bearer')
          throw new ProblemError('scrape-token-wrong')
        }
        return reply
          .header('cache-control', 'no-store')
          .type(METRICS_TYPE)
          .send(await metrics.text())
      },
    )
  }
