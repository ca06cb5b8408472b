import { createConnectionCalls } from '../features/connection/calls.ts'
import { createListening } from '../features/connection/listening.ts'
import { createCentralNotices } from '../features/connection/notices.ts'
import { connectionRoutes } from '../features/connection/routes.ts'
import { createConnection } from '../features/connection/service.ts'
import { createEchoRepository } from '../features/diagnostics/repository.ts'
import { diagnosticsRoutes } from '../features/diagnostics/routes.ts'
import { createDiagnosticsService } from '../features/diagnostics/service.ts'
import type { Routes } from '../http/app.ts'
import type { Foundation } from './foundation.ts'
import type { Services } from './services.ts'

export type Connecting = ReturnType<typeof composeConnection>

/** Whether the central services are there, and what a manager sees and checks of that. */
export function composeConnection(base: Foundation, services: Services) {
  const { options, db, clock, profile, lane, counts, events, publish, log } = base
  const { central, transport, tokens } = services
  const notices = createCentralNotices({ central, clock, settings: () => profile.connection, publish })
  const echoes = createEchoRepository(db, (rows) => counts.dropped('echo-history', rows))
  const diagnostics = createDiagnosticsService({
    results: echoes,
    clock,
    transport,
    profile,
    lane,
    events,
    log,
    onResponse: (answer) => {
      central.onResponse('cash', answer)
    },
  })
  const { runEcho } = diagnostics
  const calls = createConnectionCalls({ profile, lane, transport, tokens, runEcho, now: () => clock.now() })
  const connection = createConnection({
    profile,
    endpoints: options.endpoints,
    results: echoes,
    calls,
    clock,
    publish,
  })
  const listening = createListening({
    intervalMs: () => profile.limits.echoIntervalMs,
    admits: () => services.load.admits('cash', 'background'),
    runEcho,
    lookAtClock: services.watch.look,
    rng: base.rng,
    log,
  })
  return {
    calls,
    connection,
    routes: [diagnosticsRoutes(diagnostics), connectionRoutes(connection)] satisfies Routes[],
    start: listening.look,
    /** The interval may be another setting now. */
    settingsChanged: listening.settingsChanged,
    stop(): void {
      listening.stop()
      notices.stop()
    },
  }
}
