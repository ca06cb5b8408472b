import { randomUUID } from 'node:crypto'
import type { SupportExport, SupportPreview } from '../../../contracts/api/support.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Transact } from '../../db/transact.ts'
import { localDateTimeAt } from '../../domain/zone.ts'
import { ProblemError } from '../../http/problem.ts'
import type { AuditTrail } from '../staff/audit.ts'
import { heldValues } from './held-values.ts'
import { makeSupportFile } from './make-file.ts'
import { runningFacts, type RunningLane } from './running-facts.ts'

export interface SupportOptions {
  readonly db: Database
  readonly dataFolder: string
  readonly version: string
  readonly profile: Pick<Profile, 'store' | 'mode' | 'timeZone'>
  readonly lane: Pick<Lane, 'id'>
  readonly running: RunningLane
  /** What the terminal holds in memory: its sealing key and its client secret. */
  readonly secrets: readonly (string | Uint8Array)[]
  readonly transact: Transact
  readonly audit: Pick<AuditTrail, 'record'>
  readonly clock: Clock
}

interface Prepared {
  readonly id: string
  readonly staffId: string
  readonly fileName: string
  readonly bytes: Buffer
}

const MOST_ORDERED = 5

export type Support = ReturnType<typeof createSupport>

/** The support file: shown first, then exactly that is saved. One is held at a time, in memory. */
export function createSupport(options: SupportOptions) {
  const { db, dataFolder, profile, lane, transact, audit, clock } = options
  const ordered = new Map<number, Prepared>()
  let prepared: Prepared | null = null

  return {
    /** Throws ProblemError `support-file-shape` or `support-file-secret`, with the section in the details. */
    async preview(staffId: string): Promise<SupportPreview> {
      prepared = null
      const now = clock.now()
      const made = await makeSupportFile({
        folder: { dataFolder, db, now },
        version: options.version,
        owner: { store: profile.store.id, lane: lane.id, mode: profile.mode },
        running: runningFacts(options.running, now),
        held: heldValues({ dataFolder, environment: process.env, db, secrets: options.secrets }),
      })
      if (made.kind === 'refused')
        throw new ProblemError(`support-file-${made.why}`, [{ path: '/section', message: made.section }])
      const { file, bytes } = made
      const fileName = supportFileName(file.program, localDateTimeAt(now, profile.timeZone).toPlainDate().toString())
      prepared = { id: randomUUID(), staffId, fileName, bytes }
      return { id: prepared.id, fileName, bytes: bytes.length, file }
    },

    /** Writes down that this is taken away; `fetch` then gives it, once. Throws ProblemError `support-preview-gone`. */
    order(preview: string, staffId: string): SupportExport {
      const order = prepared
      if (order?.id !== preview || order.staffId !== staffId) throw new ProblemError('support-preview-gone')
      return transact((tx) => {
        const number = audit.record(tx, {
          kind: 'support-file',
          actorId: staffId,
          detail: { bytes: order.bytes.length },
        })
        transact.afterCommit(() => {
          ordered.set(number, order)
          for (const old of [...ordered.keys()].slice(0, -MOST_ORDERED)) ordered.delete(old)
        })
        return { number, fileName: order.fileName }
      })
    },

    /** The file that this person ordered. Throws ProblemError `not-found`. */
    fetch(number: number, staffId: string): Pick<Prepared, 'fileName' | 'bytes'> {
      const order = ordered.get(number)
      if (order?.staffId !== staffId) throw new ProblemError('not-found')
      ordered.delete(number)
      return order
    },
  }
}

/** `day`: of the store's calendar. */
export const supportFileName = (
  { store, lane }: { readonly store: string | null; readonly lane: string | null },
  day: string,
): string => `support_${store ?? 'unknown'}_lane-${lane ?? 'unknown'}_${day}.json.gz`
