import { clientCredentials, createTokenSource } from '../../../backend/core/central/token.ts'
import { createHttpExchange, createTransport, type Transport } from '../../../backend/core/central/transport.ts'
import { systemClock } from '../../../backend/core/clock.ts'
import { testLog } from '../../../backend/core/http/testing.ts'
import type { CentralAccess } from '../rig/central.ts'
import type { Ctx } from '../../../backend/core/context.ts'
import { testContext, provideCentral } from './lane-context.ts'

/** A transport over HTTP to all five central services at one address, with its own token. */
export function transportTo({ url, tokenUrl, clientId, clientSecret }: LaneAccess): Transport {
  const { log } = testLog()
  return createTransport({
    exchange: createHttpExchange({ cash: url, issuance: url, offers: url, offerState: url, history: url }),
    tokens: createTokenSource({
      grant: clientCredentials({ tokenUrl, clientId, clientSecret, timeoutMs: 5_000 }),
      clock: systemClock,
      log,
    }),
    log,
  })
}
export function contextTo(access: LaneAccess, given: Partial<Ctx> = {}): Ctx {
  const ctx = testContext(given)
  provideCentral(ctx, { transport: transportTo(access) })
  return ctx
}

export type LaneAccess = Pick<CentralAccess, 'url' | 'tokenUrl' | 'clientId' | 'clientSecret'>

/** Access to services whose token endpoint does not exist, for calls with a member’s token or without any. */
export const withoutLaneToken = (url: string): LaneAccess => ({
  url,
  tokenUrl: `${url}/no-token-here`,
  clientId: 'lane',
  clientSecret: 'secret',
})
