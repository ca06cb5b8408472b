import { Maintenance } from '../../../contracts/operations/diagnostics.ts'
import type { Routes } from '../../core/http/app.ts'
import { z } from 'zod'
import { BackupName, Backups, OrderRestore } from '../../../contracts/operations/backups.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'
import { maintenanceOf } from './maintenance.ts'
import type { Ctx } from '../../core/context.ts'
import { backupsOf } from './backups.ts'

export const maintenanceRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const service = maintenanceOf(ctx)
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

const byName = z.object({ name: BackupName })
const tags = ['backups']
const config = { access: 'manager' } as const
const response = { 200: Backups }

/** Backups of the lane and the way back to one. What takes long goes on by itself: ask for the list to see it end. */
export const backupRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const backups = backupsOf(ctx)
    app.get('/api/backups', { config, schema: { tags, summary: 'The backups, and what is under way', response } }, () =>
      backups.list(),
    )
    app.post('/api/backups', { config, schema: { tags, summary: 'Back up now', response } }, (request) =>
      backups.backUp(signedIn(request).id),
    )
    app.post(
      '/api/backups/:name/proof',
      { config, schema: { tags, summary: 'Read a backup to its end', params: byName, response } },
      (request) => backups.prove(request.params.name, signedIn(request).id),
    )
    app.post(
      '/api/backups/:name/preview',
      { config, schema: { tags, summary: 'What a restore of this backup would lose', params: byName, response } },
      (request) => backups.preview(request.params.name),
    )
    app.post(
      '/api/backups/restore',
      {
        config,
        schema: {
          tags,
          summary: 'Restore what was previewed, on a manager’s PIN; the terminal restarts',
          body: OrderRestore,
          response,
        },
      },
      (request) => backups.restore(request.body.covers, whoOf(request)),
    )
  }
