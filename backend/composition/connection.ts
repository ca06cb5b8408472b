import { createConnectionCalls } from '../operations/connection/calls.ts'
import { createListening } from '../operations/connection/probes.ts'
import { connectionRoutes, createCentralNotices, createConnection } from '../operations/connection/connection.ts'
import { createEchoRepository } from '../operations/diagnostics/diagnostics.sql.ts'
import { createDiagnosticsService, diagnosticsRoutes } from '../operations/diagnostics/diagnostics.ts'
import type { Routes } from '../core/http/app.ts'
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
