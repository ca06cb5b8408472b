import type { App } from '../../core/http/app.ts'
import { settingsContract } from '../../../contracts/staff/staff.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { settingsOf } from './settings.ts'
import type { Ctx } from '../../core/context.ts'

/** The settings of the lane, for its manager. */
export function settingsRoutes(ctx: Ctx, app: App): void {
  const settings = settingsOf(ctx)
  serve(app, settingsContract['GET /settings'], () => ({ settings: settings.list() }))
  serve(app, settingsContract['PUT /settings/:name'], (request) => ({
    settings: settings.change(request.params.name, request.body, signedIn(request)),
  }))
  serve(app, settingsContract['POST /settings/:name/undo'], (request) => ({
    settings: settings.undo(request.params.name, request.body, signedIn(request)),
  }))
  serve(app, settingsContract['POST /settings/exports'], (request) =>
    settings.export(request.body.format, signedIn(request).id),
  )
}
