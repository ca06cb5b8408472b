import { Upkeep } from '../../../contracts/api/diagnostics.ts'
import type { Routes } from '../../http/app.ts'
import type { UpkeepService } from './service.ts'

export const upkeepRoutes =
  (service: UpkeepService): Routes =>
  (app) => {
    app.get(
      '/api/diagnostics/upkeep',
      {
        schema: {
          tags: ['diagnostics'],
          description:
            'Whether the clock can be right, what became of the last backup, and how much room the disk has.',
          response: { 200: Upkeep },
        },
      },
      async () => service.upkeep(),
    )
  }
