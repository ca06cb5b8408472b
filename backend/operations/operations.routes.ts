import type { App } from '../core/http/app.ts'
import { serve } from '../core/http/serve.ts'
import type { Ctx } from '../core/context.ts'
import { terminalContract } from '../../contracts/staff/staff.routes.ts'
import { isoOf } from '../core/clock.ts'
import { programOf } from '../core/program/lane-program.ts'
import { clockChanges } from '../core/zone.ts'
import { memberServicesOf } from '../loyalty/services/member-services.ts'
import { salesOf } from '../sales/sales.ts'
import { maintenanceRoutes, backupRoutes } from './backups/backups.ts'
import { connectionRoutes } from './connection/connection.ts'
import { deviceRoutes, trainingRoutes } from './devices/devices.routes.ts'
import { diagnosticsRoutes } from './diagnostics/diagnostics.ts'
import { enrolmentOf, enrolmentRoutes } from './enrolment/enrolment.ts'
import { laneCheckRoutes } from './lane-check/lane-check-page.ts'
import { metricsRoutes } from './metrics/metrics.ts'
import { soundsRoutes } from './sounds.ts'
import { supportRoutes } from './support/support.ts'
import { tracesRoutes } from './traces.ts'
import { managerUpdatesRoutes } from './updates/manager-updates.ts'

export function operationsRoutes(ctx: Ctx, app: App): void {
  terminalRoutes(ctx, app)
  enrolmentRoutes(ctx, app)
  deviceRoutes(ctx, app)
  trainingRoutes(ctx, app)
  soundsRoutes(ctx, app)
  diagnosticsRoutes(ctx, app)
  connectionRoutes(ctx, app)
  maintenanceRoutes(ctx, app)
  backupRoutes(ctx, app)
  supportRoutes(ctx, app)
  laneCheckRoutes(ctx, app)
  tracesRoutes(ctx, app)
  metricsRoutes(ctx, app)
  managerUpdatesRoutes(ctx, app)
}

/**
 * Time in ms before and after the start for which the screens get the changes to and from daylight saving time: 20
 * years.
 */
const YEARS_SHOWN = 20 * 365.25 * 86_400_000

export function terminalRoutes(ctx: Ctx, app: App): void {
  const { profile, lane, clock, outbox } = ctx
  const { version, endpoints, startedAt } = programOf(ctx)
  const clocks = clockChanges(profile.timeZone, clock.now() - YEARS_SHOWN, clock.now() + YEARS_SHOWN)
  const foundOpen = salesOf(ctx).current()?.id ?? null
  const servesMembers = memberServicesOf(ctx) !== null
  serve(app, terminalContract['GET /terminal'], async ({ staff }) => ({
    mode: profile.mode,
    version,
    store: { id: profile.store.id, name: profile.store.name },
    lane: lane.id,
    region: profile.region,
    timeZone: profile.timeZone,
    clockChanges: clocks,
    defaultLocale: profile.locales.default,
    payments: profile.payments,
    emailsReceipts: profile.receipt.email !== undefined,
    memberHistory: servesMembers && endpoints.history !== undefined,
    redemptionSeconds: Math.ceil((2 * profile.limits.cashTimeoutMs) / 1000) + 2,
    startedAt: isoOf(startedAt),
    foundOpen,
    stopped: outbox.failStop.reason,
    toEnrol: enrolmentOf(ctx).isOffered(),
    signedIn: staff,
  }))
}
