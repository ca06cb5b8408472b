import { readMailPassword } from '../../payments/delivery/mail.ts'
import { type RunningComponents, runningFacts } from './lane-facts.ts'
import { randomUUID } from 'node:crypto'
import type { SupportExport, SupportPreview } from '../../../contracts/operations/support.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import { ProblemError } from '../../core/problem.ts'
import { heldValues } from './log-lines.ts'
import { makeSupportFile } from './make-file.ts'
import type { App } from '../../core/http/app.ts'
import { supportContract } from '../../../contracts/operations/operations.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { centralOf } from '../../core/central/services.ts'
import { laneTimeOf } from '../../core/lane-time.ts'
import { devicesOf } from '../../core/devices/hub.ts'
import { connectionOf } from '../connection/connection.ts'
import { copiesOf } from '../backups/copies.ts'
import { offersOf } from '../../loyalty/offers/offers.ts'
import { settingsOf } from '../../staff/settings/settings.ts'

interface Prepared {
  readonly id: string
  readonly staffId: string
  readonly fileName: string
  readonly bytes: Buffer
}

const MAX_PENDING_EXPORTS = 5

export type Support = ReturnType<typeof supportOf>

/**
 * Makes support files: first a preview, then exactly that file is saved. One preview at a time is stored, in memory.
 */
const supportOf = perLane((ctx: Ctx) => {
  const { db, lane, transact, audit, clock } = ctx
  const dataFolder = programOf(ctx).dataFolder
  const profile = programOf(ctx).profile
  const version = programOf(ctx).version
  const running = runningLaneOf(ctx)
  const secrets = secretsOf(ctx)
  const pendingExports = new Map<number, Prepared>()
  let prepared: Prepared | null = null

  return {
    /**
     * Makes the preview. Throws ProblemError `support-file-shape` or `support-file-secret`, with the section in the
     * details.
     */
    async preview(staffId: string): Promise<SupportPreview> {
      prepared = null
      const now = clock.now()
      const made = await makeSupportFile({
        folder: { dataFolder, db, now },
        version: version,
        owner: { store: profile.store.id, lane: lane.id, mode: profile.mode },
        running: runningFacts(running, now),
        held: heldValues({ dataFolder, environment: process.env, db, secrets: secrets }),
      })
      if (made.kind === 'refused')
        throw new ProblemError(`support-file-${made.why}`, [{ path: '/section', message: made.section }])
      const { file, bytes } = made
      const fileName = supportFileName(file.program, localDateTimeAt(now, profile.timeZone).toPlainDate().toString())
      prepared = { id: randomUUID(), staffId, fileName, bytes }
      return { id: prepared.id, fileName, bytes: bytes.length, file }
    },

    /**
     * Records the export in the audit trail; after that the file can be fetched once. Throws ProblemError
     * `support-preview-gone`.
     */
    requestExport(preview: string, staffId: string): SupportExport {
      const pending = prepared
      if (pending?.id !== preview || pending.staffId !== staffId) throw new ProblemError('support-preview-gone')
      return transact((tx) => {
        const number = audit.record(tx, {
          kind: 'support-file',
          actorId: staffId,
          detail: { bytes: pending.bytes.length },
        })
        transact.afterCommit(() => {
          pendingExports.set(number, pending)
          for (const old of [...pendingExports.keys()].slice(0, -MAX_PENDING_EXPORTS)) pendingExports.delete(old)
        })
        return { number, fileName: pending.fileName }
      })
    },

    fetch(number: number, staffId: string): Pick<Prepared, 'fileName' | 'bytes'> {
      const pending = pendingExports.get(number)
      if (pending?.staffId !== staffId) throw new ProblemError('not-found')
      pendingExports.delete(number)
      return pending
    },
  }
})

export const supportFileName = (
  { store, lane }: { readonly store: string | null; readonly lane: string | null },
  day: string,
): string => `support_${store ?? 'unknown'}_lane-${lane ?? 'unknown'}_${day}.json.gz`
const TYPE = 'application/gzip'

export function supportRoutes(ctx: Ctx, app: App): void {
  const support = supportOf(ctx)
  serve(app, supportContract['POST /support-file/previews'], (request) => support.preview(signedIn(request).id))
  serve(app, supportContract['POST /support-file/exports'], (request) =>
    support.requestExport(request.body.preview, signedIn(request).id),
  )
  serve(app, supportContract['GET /support-file/exports/:number'], (request, reply) => {
    const { fileName, bytes } = support.fetch(request.params.number, signedIn(request).id)
    return reply.type(TYPE).header('content-disposition', `attachment; filename="${fileName}"`).send(bytes)
  })
}

const secretsOf = (ctx: Ctx): (string | Uint8Array)[] => {
  const { dataFolder, folder, clientSecret } = programOf(ctx)
  const mailPassword = readMailPassword(dataFolder, folder.masterKey)
  return [folder.masterKey, clientSecret, mailPassword].filter((one) => one !== null)
}

const runningLaneOf = (ctx: Ctx): RunningComponents => {
  const { central } = centralOf(ctx)
  const hub = devicesOf(ctx)
  return {
    startedAt: programOf(ctx).startedAt,
    timeZone: ctx.profile.timeZone,
    stopped: () => ctx.outbox.failStop.reason,
    clock: () => laneTimeOf(ctx).health,
    health: () => hub.health(),
    details: () => hub.details(),
    central: () => central.state,
    connection: connectionOf(ctx).status,
    copies: copiesOf(ctx).state,
    offers: offersOf(ctx).lists,
    settings: settingsOf(ctx).list,
  }
}
