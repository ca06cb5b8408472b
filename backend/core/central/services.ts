import type { Profile } from '../../../contracts/core/profile.ts'
import type { Rng } from '../clock.ts'
import { type Ctx, provided } from '../context.ts'
import { laneTimeOf } from '../lane-time.ts'
import { createCentralStatus } from './central-status.ts'
import { createSecretStatus, noSecretYet } from './client-secret.ts'
import { createLoad } from './load.ts'
import { createBreakers } from './service-result.ts'
import { clientCredentials, createTokenSource } from './token.ts'
import { type CentralService, type Exchange, createHttpExchange, createTransport } from './transport.ts'

export type CentralServices = ReturnType<typeof openCentral>

export const centralOf = provided<CentralServices>('the clients of the central services')

interface CentralSettings {
  readonly endpoints: NonNullable<Profile['endpoints']>
  readonly clientSecret: string | null
  readonly around: (exchange: Exchange) => Exchange
  /** Random source that decides which calls the throttle holds back. */
  readonly random: Pick<Rng, 'fraction'>
}

const hostOf = (address: string | undefined): string => (address === undefined ? '' : new URL(address).host)

export function openCentral(ctx: Ctx, settings: CentralSettings) {
  const { profile, clock, rng, log } = ctx
  const { token, ...addresses } = settings.endpoints
  const hostOfService = (service: CentralService): string => hostOf(addresses[service])
  const secret = createSecretStatus({ clock })
  const tokens = createTokenSource({
    grant:
      settings.clientSecret === null
        ? noSecretYet
        : clientCredentials({
            tokenUrl: token.url,
            clientId: token.clientId,
            clientSecret: settings.clientSecret,
            scope: token.scope,
            timeoutMs: profile.limits.cashTimeoutMs,
          }),
    clock,
    rng,
    log,
    onSecret: secret.onResponse,
  })
  const load = createLoad({ clock, rng: settings.random, hostOf: hostOfService })
  const exchange = settings.around(load.around(laneTimeOf(ctx).around(createHttpExchange(addresses))))
  return {
    central: createCentralStatus(clock),
    secret,
    tokens,
    load,
    transport: createTransport({ exchange, tokens, traceparent: profile.connection.traceparent, log }),
    breakers: createBreakers(clock),
  }
}
