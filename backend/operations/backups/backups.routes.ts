import type { App } from '../../core/http/app.ts'
import { diagnosticsContract, backupsContract } from '../../../contracts/operations/operations.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'
import { maintenanceOf } from './maintenance.ts'
import type { Ctx } from '../../core/context.ts'
import { backupsOf } from './backups.ts'

export function maintenanceRoutes(ctx: Ctx, app: App): void {
  const service = maintenanceOf(ctx)
  serve(app, diagnosticsContract['GET /diagnostics/maintenance'], async () => service.maintenance())
}

/** Backups of the lane and the way back to one. What takes long goes on by itself: ask for the list to see it end. */
export function backupRoutes(ctx: Ctx, app: App): void {
  const backups = backupsOf(ctx)
  serve(app, backupsContract['GET /backups'], () => backups.list())
  serve(app, backupsContract['POST /backups'], (request) => backups.backUp(signedIn(request).id))
  serve(app, backupsContract['POST /backups/:name/proof'], (request) =>
    backups.prove(request.params.name, signedIn(request).id),
  )
  serve(app, backupsContract['POST /backups/:name/preview'], (request) => backups.preview(request.params.name))
  serve(app, backupsContract['POST /backups/restore'], (request) =>
    backups.restore(request.body.covers, whoOf(request)),
  )
}
