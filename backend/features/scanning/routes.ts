import { z } from 'zod'
import { RingScanned, Sale } from '../../../contracts/api/sales.ts'
import type { Routes } from '../../http/app.ts'
import { whoOf } from '../approvals/who-of.ts'
import type { Scanning } from './service.ts'

export const scanningRoutes =
  (scanning: Pick<Scanning, 'ringWaiting'>): Routes =>
  (app) => {
    app.post(
      '/api/sales/current/lines/scanned',
      {
        schema: {
          summary: 'Ring the scanned item that waits for an approval',
          body: RingScanned,
          response: { 200: z.object({ sale: Sale }) },
        },
      },
      (request) => ({ sale: scanning.ringWaiting(whoOf(request)) }),
    )
  }
