import { EchoHistory, EchoResult } from '../../../contracts/api/diagnostics.ts'
import type { Routes } from '../../http/app.ts'
import type { DiagnosticsService } from './service.ts'

export const diagnosticsRoutes =
  (diagnostics: DiagnosticsService): Routes =>
  (app) => {
    app.post(
      '/api/diagnostics/echo',
      {
        schema: {
          tags: ['diagnostics'],
          description: 'Runs ECHO against the cash service now. An outage is a result, not a refusal.',
          response: { 200: EchoResult },
        },
        config: { access: 'manager', command: 'awaited' },
      },
      async () => diagnostics.runEcho(),
    )

    app.get(
      '/api/diagnostics/echo',
      {
        schema: {
          tags: ['diagnostics'],
          description: 'The last results of ECHO, newest first.',
          response: { 200: EchoHistory },
        },
        config: { access: 'manager' },
      },
      async () => ({ results: diagnostics.latest() }),
    )
  }
