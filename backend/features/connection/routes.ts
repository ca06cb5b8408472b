import {
  ConnectionCheck,
  ConnectionHistory,
  ConnectionHistoryQuery,
  ConnectionStatus,
} from '../../../contracts/api/connection.ts'
import type { Routes } from '../../http/app.ts'
import type { ConnectionServiceOfLane } from './service.ts'

export const connectionRoutes =
  (connection: ConnectionServiceOfLane): Routes =>
  (app) => {
    app.get(
      '/api/diagnostics/connection',
      {
        schema: {
          tags: ['diagnostics'],
          description: 'How the program’s services are now, since when, and the last check by hand.',
          response: { 200: ConnectionStatus },
        },
        config: { access: 'manager' },
      },
      () => connection.status(),
    )

    app.post(
      '/api/diagnostics/connection/check',
      {
        schema: {
          tags: ['diagnostics'],
          description:
            'Starts a check of the connection in nine steps, or joins the one that runs. Moves nothing. The event ' +
            'connection-check-changed tells of its steps.',
          response: { 200: ConnectionCheck },
        },
        config: { access: 'manager', command: 'awaited' },
      },
      () => connection.startCheck(),
    )

    app.get(
      '/api/diagnostics/connection/history',
      {
        schema: {
          tags: ['diagnostics'],
          description: 'Uptime and response times of a day, a week, a month or a year, with the outages in it.',
          querystring: ConnectionHistoryQuery,
          response: { 200: ConnectionHistory },
        },
        config: { access: 'manager' },
      },
      (request) => connection.history(request.query.period),
    )
  }
