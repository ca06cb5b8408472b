import { EventEmitter } from 'node:events'
import { dirname } from 'node:path'
import { FOR_ACTING_WINDOW, type TerminalEvent } from '../../contracts/core/events.ts'
import { createPlainTransact } from '../core/db/transact.ts'
import { createLaneCounts, type LaneCounts } from '../operations/metrics/metrics.ts'
import { createEffectiveProfile } from '../staff/settings/effective-profile.ts'
import { createSettingsRepository } from '../staff/settings/settings.sql.ts'
import { createAuditTrail, type AuditEntry } from '../core/audit.ts'
import { createEventStream } from '../core/http/events.ts'
import { ProblemError } from '../core/problem.ts'
import { loadLogo } from '../core/paper/images.ts'
import { createActingWindow } from '../sales/input/dispatcher.ts'
import { openTerminalDatabase, type TerminalDatabase } from '../core/integrity/open-terminal.ts'
import type { Logger } from '../core/log.ts'
import { createOutbox } from '../core/outbox/outbox.ts'
import { createChanges } from '../store/changes/changes.ts'
import { createStoreTime } from '../store/lease.ts'
import type { TerminalOptions } from './options.ts'

export type Foundation = Awaited<ReturnType<typeof openFoundation>>

/** What every part stands on: the database, the profile that is in force, what windows hear, the outbox, the trail. */
export async function openFoundation(options: TerminalOptions) {
  const { folder, clock } = options
  const database = await openTerminalDatabase(folder, clock)
  const { db, seal } = database
  const settingRows = createSettingsRepository(db)
  const effective = createEffectiveProfile({ db, rows: settingRows, base: options.profile, clock })
  const counts = createLaneCounts()
  const storeTime = createStoreTime(clock)
  const windows = createWindowNews(options.log, counts)
  const outbox = openOutbox(options, database, { publish: windows.publish, onCommit: counts.onCommit })
  const logo = loadLogo(effective.profile, options.profileFile)
  return {
    options,
    lane: options.lane,
    folder,
    dataFolder: dirname(folder.database),
    clock,
    rng: options.rng,
    log: options.log,
    database,
    db,
    seal,
    settingRows,
    effective,
    profile: effective.profile,
    counts,
    ...windows,
    outbox,
    transact: outbox.transact,
    journal: outbox.journal,
    storeTime,
    changes: createChanges({ db, seal, clock, storeTime, lane: options.lane.id }),
    isStopped: (): boolean => outbox.failStop.reason !== null,
    logo,
    ...createTrail({ database, outbox, clock }),
  }
}

/** What happens is told to the windows, or to the acting one alone, and to the parts that listen. */
function createWindowNews(log: Logger, { dropped, onEvent }: Pick<LaneCounts, 'dropped' | 'onEvent'>) {
  const events = createEventStream({ log, dropped })
  const published = new EventEmitter<{ event: [event: TerminalEvent] }>()
  const acting = createActingWindow({ notify: events.publish, isOpen: events.isOpen })
  const publish = (event: TerminalEvent, stream?: string): void => {
    events.publish(event, stream ?? (FOR_ACTING_WINDOW.has(event.type) ? acting.stream() : undefined))
    published.emit('event', event)
  }
  published.on('event', onEvent)
  return { events, published, acting, publish }
}

/** Who hears of commits, and that there are none any more. */
interface Told {
  readonly publish: (event: TerminalEvent) => void
  readonly onCommit: LaneCounts['onCommit']
}

function openOutbox(
  { clock, rng, log, seams }: TerminalOptions,
  database: TerminalDatabase,
  { publish, onCommit }: Told,
) {
  return createOutbox({
    ...database,
    clock,
    rng,
    log,
    ...(seams ? { observer: seams.observer } : {}),
    onCommit,
    onStop(reason) {
      publish({ type: 'stopped', reason })
    },
    refusal: (reason) => new ProblemError(reason),
  })
}

/** The audit trail, and the way into it for whoever has no transaction of their own. */
function createTrail(on: {
  readonly database: TerminalDatabase
  readonly outbox: ReturnType<typeof openOutbox>
  readonly clock: TerminalOptions['clock']
}) {
  const { db, seal } = on.database
  const audit = createAuditTrail({ db, clock: on.clock, seal })
  const plainly = createPlainTransact(db, on.outbox.chain.committed)
  const record = (entry: AuditEntry): void => {
    plainly((tx) => {
      audit.record(tx, entry)
    })
  }
  return { audit, plainly, record }
}
