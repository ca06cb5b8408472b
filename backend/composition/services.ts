import { createBreakers } from '../core/central/service-result.ts'
import { createLoad } from '../core/central/load.ts'
import { clientCredentials, createTokenSource } from '../core/central/token.ts'
import { createHttpExchange, createTransport, type CentralService } from '../core/central/transport.ts'
import { createCentralStatus } from '../core/central/central-status.ts'
import { createSecretStatus, noSecretYet } from '../core/central/client-secret.ts'
import { createClockWatch } from '../core/clock-watch.ts'
import type { Foundation } from './foundation.ts'

export type Services = ReturnType<typeof composeServices>

const hostOf = (address: string | undefined): string => (address === undefined ? '' : new URL(address).host)

/** The way to the central services: one source of tokens, one transport, what its answers say of clock and secret. */
export function composeServices({ options, profile, outbox, counts, clock, rng, log }: Foundation) {
  const { token, ...addresses } = options.endpoints
  const hostOfService = (service: CentralService): string => hostOf(addresses[service])
  const central = createCentralStatus(clock, hostOfService)
  const secret = createSecretStatus({ clock })
  const tokens = createTokenSource({
    grant:
      options.clientSecret === null
        ? noSecretYet
        : clientCredentials({
            tokenUrl: token.url,
            clientId: token.clientId,
            clientSecret: options.clientSecret,
            scope: token.scope,
            timeoutMs: profile.limits.cashTimeoutMs,
          }),
    clock,
    rng,
    log,
    onSecret: secret.onResponse,
  })
  const exchange = createHttpExchange(addresses)
  const watch = createClockWatch({
    clock,
    toleranceMs: profile.limits.clockToleranceMs,
    timeZone: profile.timeZone,
    newestEntryAt: outbox.chain.newestEntryAt,
    log,
  })
  const load = createLoad({ clock, rng: options.seams?.luck ?? rng, hostOf: hostOfService })
  const transport = createTransport({
    exchange: counts.around(load.around(watch.around(options.seams?.around(exchange) ?? exchange))),
    tokens,
    traceparent: profile.connection.traceparent,
    log,
  })
  const breakers = createBreakers({ monotonic: () => clock.monotonic() })
  return { central, secret, tokens, watch, load, transport, breakers }
}
