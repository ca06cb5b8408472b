import { Maintenance } from '../../../contracts/api/diagnostics.ts'
import type { Routes } from '../../http/app.ts'
import type { MaintenanceService } from './service.ts'

export const maintenanceRoutes =
  (service: MaintenanceService): Routes =>
  (app) => {
    app.get(
      '/api/diagnostics/maintenance',
      {
        schema: {
          tags: ['diagnostics'],
          description:
            'Whether the clock can be right, what became of the last backup, and how much room the disk has.',
          response: { 200: Maintenance },
        },
      },
      async () => service.maintenance(),
    )
  }
