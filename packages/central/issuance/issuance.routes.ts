import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { serveCall, type Call, type CallDependencies } from '../http/call.ts'
import type { UnshownPaths } from '../http/unshown-paths.ts'
import { readableFields, type Shape } from '../http/answer.ts'
import {
  StrictCalculate,
  StrictIssue,
  StrictPartnerBasket,
  StrictPartnerEvent,
  StrictRecord,
  StrictReturn,
  badIssuance,
  collectorBusy,
} from './requests.ts'
import type { createPartnerIssuanceService } from './partner-service.ts'
import type { createIssuanceService } from './issuance.ts'

/**
 * 503 is none of the statuses of these services: what is away on purpose is an internal failure to a partner
 * (specification 3 §7.1).
 */
const OUTAGE = { status: 500, body: { responseCode: '500', message: 'Scheduled outage' } } as const

export function issuanceRoutes(
  dependencies: CallDependencies,
  paths: Omit<UnshownPaths, 'cashReverse'>,
  service: ReturnType<typeof createIssuanceService>,
  partner: ReturnType<typeof createPartnerIssuanceService>,
) {
  return (app: FastifyInstance): void => {
    const operation = <Input>(
      call: Omit<Call<Input>, 'input' | 'refuse' | 'busy' | 'outage'> & { input: z.ZodType<Input> & { shape: Shape } },
    ): void => {
      const { shape } = call.input
      const refuse: Call<Input>['refuse'] = (flaws, body) => badIssuance(flaws, readableFields(body, shape))
      const busy: Call<Input>['busy'] = (body) => collectorBusy(readableFields(body, shape))
      app.post(call.path, (request, reply) =>
        serveCall(dependencies, { ...call, refuse, busy, outage: OUTAGE }, request, reply),
      )
    }
    // CALCULATE changes nothing: it neither holds the collector nor is held up by another transaction.
    operation({
      path: ISSUANCE_PATHS.calculate,
      input: StrictCalculate,
      repeats: 'key',
      exclusive: false,
      perform: service.calculate,
    })
    operation({
      path: ISSUANCE_PATHS.issue,
      input: StrictIssue,
      repeats: 'key-or-content',
      exclusive: true,
      perform: service.issue,
    })
    operation({
      path: ISSUANCE_PATHS.return,
      input: StrictReturn,
      repeats: 'key-or-content',
      exclusive: true,
      perform: service.return,
    })
    // No key is read here; the identical bytes are one transaction all the same (§4.1, last resort).
    operation({
      path: ISSUANCE_PATHS.record,
      input: StrictRecord,
      repeats: 'content',
      exclusive: false,
      perform: service.record,
    })
    operation({
      path: paths.post,
      input: StrictPartnerBasket,
      repeats: 'key-or-content',
      exclusive: true,
      perform: partner.post,
    })
    operation({
      path: paths.postEvent,
      input: StrictPartnerEvent,
      repeats: 'key-or-content',
      exclusive: true,
      perform: partner.postEvent,
    })
    operation({
      path: paths.reverse,
      input: StrictPartnerBasket,
      repeats: 'key-or-content',
      exclusive: true,
      perform: partner.reverse,
    })
    operation({
      path: ISSUANCE_PATHS.reverseEvent,
      input: StrictPartnerEvent,
      repeats: 'key-or-content',
      exclusive: true,
      perform: partner.reverseEvent,
    })
  }
}
