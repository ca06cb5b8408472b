import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { CASH_PATHS, EchoRequest, InquireRequest, RedeemRequest, ReverseRequest } from '../../contracts/central/cash.ts'
import type { Flaw } from '../http/answer.ts'
import { serveCall, type Call, type CallDependencies } from '../http/call.ts'
import { badCash, cashAnswer } from './answers.ts'
import type { Shape } from '../http/readable.ts'
import type { createCashService } from './service.ts'

/** "ECHO headers also include `cache-control: no-cache`" (specification 3 §4.5). */
const noCache: Call<unknown>['checkHeaders'] = (headers): Flaw | undefined =>
  /(^|,)\s*no-cache\s*(,|$)/i.test(headers['cache-control'] ?? '')
    ? undefined
    : { path: 'cache-control', message: 'no-cache is required' }

/** `reversePath` is not shown in the specification: a setting. */
export function cashRoutes(
  dependencies: CallDependencies,
  reversePath: string,
  service: ReturnType<typeof createCashService>,
) {
  return (app: FastifyInstance): void => {
    const operation = <Input>(
      call: Omit<Call<Input>, 'input' | 'refuse' | 'exclusive' | 'outage'> & {
        input: z.ZodType<Input> & { shape: Shape }
      },
    ): void => {
      const refuse: Call<Input>['refuse'] = (flaws, body) =>
        badCash(flaws, body, call.input.shape, dependencies.clock.now())
      app.post(call.path, (request, reply) =>
        serveCall(dependencies, { ...call, exclusive: false, refuse, outage: cashAnswer('0092', {}) }, request, reply),
      )
    }
    operation({
      path: CASH_PATHS.echo,
      input: EchoRequest,
      repeats: 'none',
      // mutant: echo-without-no-cache
      checkHeaders: noCache,
      perform: service.echo,
    })
    operation({ path: CASH_PATHS.inquire, input: InquireRequest, repeats: 'none', perform: service.inquire })
    operation({ path: CASH_PATHS.redeem, input: RedeemRequest, repeats: 'key-or-content', perform: service.redeem })
    operation({ path: reversePath, input: ReverseRequest, repeats: 'key-or-content', perform: service.reverse })
  }
}
