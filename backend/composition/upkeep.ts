import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Checkout } from './checkout.ts'
import type { CommandChannel } from '../core/commands/channel.ts'
import { bundleNotice } from '../operations/bundles/new-bundle.ts'
import { backupRoutes, maintenanceRoutes } from '../operations/backups/backups.routes.ts'
import { createBackups } from '../operations/backups/backups.ts'
import { createCopies, type Copies } from '../operations/backups/copies.ts'
import { createMaintenance, type MaintenanceService } from '../operations/backups/maintenance.ts'
import type { StaffService } from '../staff/sign-in.ts'
import type { Routes } from '../core/http/app.ts'
import type { Foundation } from './foundation.ts'
import type { Services } from './services.ts'

/** So long a closing terminal waits for its last copy in the second folder; the next start makes what it missed. */
const COPY_AT_CLOSE_MS = 4_000

export type Upkeep = ReturnType<typeof composeUpkeep>

interface UpkeepParts {
  readonly services: Services
  readonly checkout: Checkout
  readonly staff: StaffService
  readonly channel: CommandChannel
}

/** How far a backup is. */
type Progress = EventEmitter<{ moved: [phase: 'copying' | 'proving', share: number | null] }>

/** The daily backup with its copies elsewhere, and the manager's page of backups. */
export function composeUpkeep(base: Foundation, parts: UpkeepParts) {
  const { options } = base
  const copies = composeCopies(base)
  const progress: Progress = new EventEmitter()
  const maintenance = composeMaintenance(base, parts, { copies, progress })
  const backups = composeBackups(base, parts, { copies, maintenance })
  progress.on('moved', backups.onProgress)
  return {
    copies,
    maintenance: maintenance.maintenance,
    routes: [maintenanceRoutes(maintenance), backupRoutes(backups)] satisfies Routes[],
    start(): void {
      maintenance.start()
      copies.start()
    },
    async close(): Promise<void> {
      // What a restore replaces is kept whole: another copy of it would only make it take longer.
      await maintenance.close((options.backsUpAtClose ?? true) && !backups.isRestarting())
      await Promise.race([copies.settled(), delay(COPY_AT_CLOSE_MS, undefined, { ref: false })])
      copies.stop()
    },
  }
}

function composeCopies({ folder, profile, lane, clock, record, log }: Foundation): Copies {
  return createCopies({
    folder: folder.backups,
    copyTo: profile.backups.copyTo ?? null,
    lane: `${profile.store.id}-${lane.id}`.replace(/[^A-Za-z0-9-]+/g, '-'),
    timeZone: profile.timeZone,
    keepDays: profile.limits.backupKeepDays,
    clock,
    record,
    log,
  })
}

function composeMaintenance(
  base: Foundation,
  { services, checkout, channel }: UpkeepParts,
  { copies, progress }: { readonly copies: Copies; readonly progress: Progress },
): MaintenanceService {
  const { db, clock, profile, folder, dataFolder, outbox, counts, isStopped, publish, record, log } = base
  return createMaintenance({
    db,
    clock,
    profile,
    folder: folder.backups,
    masterKey: folder.masterKey,
    watch: services.watch,
    bundleNotice: () => bundleNotice(dataFolder),
    log,
    isQuiet: () => checkout.sales.currentId() === null && outbox.collectorMutex.idle(),
    isStopped,
    forgetCommands: channel.forgetOld,
    publish,
    record,
    onKept: copies.onKept,
    onPruned: (pruned) => counts.dropped('backups', pruned),
    onProgress: (phase, share) => {
      progress.emit('moved', phase, share)
    },
  })
}

function composeBackups(
  base: Foundation,
  { staff }: UpkeepParts,
  { copies, maintenance }: { readonly copies: Copies; readonly maintenance: MaintenanceService },
) {
  const { options, db, transact, dataFolder, folder, clock, audit, record, log } = base
  return createBackups({
    db,
    transact,
    dataFolder,
    folder: folder.backups,
    database: folder.database,
    masterKey: folder.masterKey,
    maintenance,
    copies,
    clock,
    audit,
    record,
    staffName: staff.nameOf,
    isManager: (id) => staff.list().some((person) => person.id === id && person.role === 'manager'),
    restart: () => options.restart?.(),
    log,
  })
}
