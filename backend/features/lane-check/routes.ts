import { LastLaneCheck } from '../../../contracts/api/lane-check.ts'
import type { Routes } from '../../http/app.ts'
import type { LaneChecks } from './service.ts'

const tags = ['diagnostics']

export const laneCheckRoutes =
  (checks: LaneChecks): Routes =>
  (app) => {
    app.get(
      '/api/diagnostics/lane',
      {
        schema: {
          tags,
          description: 'The last check of this lane since its terminal was started, or how the one that runs stands.',
          response: { 200: LastLaneCheck },
        },
        config: { access: 'manager' },
      },
      () => ({ check: checks.last() }),
    )

    app.post(
      '/api/diagnostics/lane',
      {
        schema: {
          tags,
          description:
            'Starts a check of this computer, its devices and its connection, or joins the one that runs. Changes ' +
            'nothing. The event lane-check-changed tells of its parts.',
          response: { 200: LastLaneCheck },
        },
        config: { access: 'manager', command: 'awaited' },
      },
      () => ({ check: checks.start() }),
    )
  }
