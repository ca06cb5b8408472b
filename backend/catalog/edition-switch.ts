import { randomUUID } from 'node:crypto'
import type { Tx } from '../core/db/transact.ts'
import { ProblemError } from '../core/problem.ts'
import { openEditionFile } from './editions/edition-file.ts'
import { type Edition, editionsOf } from './editions/editions.sql.ts'
import { copyInWorker } from './editions/edition-jobs.ts'
import { sharedOf } from './shared/shared-imports.ts'
import { liveEditionOf } from './editions/live-edition.ts'
import { type Ctx, perLane } from '../core/context.ts'

export interface SwitchContext {
  readonly profileHash: string | null
  readonly isFirst?: boolean
}

/**
 * After the commit, switches the lane to the file of this edition, and deletes the files of all editions except this
 * one and `exceptIds`.
 */
function sellFrom(ctx: Ctx, id: string, exceptIds: readonly (string | null)[]): void {
  const live = liveEditionOf(ctx)
  ctx.transact.afterCommit(() => {
    live.switchTo(id)
    live.tidy([id, ...exceptIds])
    live.announce()
  })
}

function insert(ctx: Ctx, tx: Tx, edition: Edition): void {
  const file = openEditionFile(liveEditionOf(ctx).pathOf(edition.id), { readonly: true })
  try {
    // Reads all chunks before the insert: an error of the insert while the file is being read would be hidden by an
    // error of closing it.
    editionsOf(ctx).insert(
      tx,
      edition,
      file.prepare<[], Buffer>('SELECT chunk FROM source ORDER BY number').pluck().all(),
    )
  } finally {
    file.close()
  }
}

/**
 * Copies an edition with its edits to a new edition; null if it has no edits. Throws `catalog-before-empty` if no items
 * are left.
 */
async function copyOf(ctx: Ctx, id: string): Promise<Edition | null> {
  const [live, editions] = [liveEditionOf(ctx), editionsOf(ctx)]
  if (editions.changeCount(id) === 0) return null
  const edition = randomUUID()
  const copied = await copyInWorker({ kind: 'copy', from: live.pathOf(id), target: live.pathOf(edition), edition })
  if (copied.items === 0) {
    live.discard(edition)
    throw new ProblemError('catalog-before-empty')
  }
  return { ...editions.byId(id), id: edition, items: copied.items, sourceHash: Buffer.from(copied.sourceHash) }
}

export type EditionSwitch = ReturnType<typeof createEditionSwitch>

function createEditionSwitch(ctx: Ctx) {
  const [live, editions] = [liveEditionOf(ctx), editionsOf(ctx)]
  const { imports } = sharedOf(ctx)
  return {
    take(tx: Tx, edition: Edition, { profileHash, isFirst = false }: SwitchContext): void {
      const before = editions.inUse()
      insert(ctx, tx, edition)
      editions.setInUse(tx, {
        currentId: edition.id,
        previousId: before?.currentId ?? null,
        profileHash: profileHash ?? before?.profileHash ?? null,
      })
      if (before?.previousId) editions.drop(tx, before.previousId)
      if (!isFirst) imports.send(tx, { id: edition.id, edition, byId: edition.madeBy, profileHash, undone: false })
      sellFrom(ctx, edition.id, [before?.currentId ?? null])
    },

    /**
     * Switches to an edition that is in the database and has its file. `isRetained`: whether the current one becomes
     * the previous edition.
     */
    adopt(tx: Tx, id: string, isRetained: boolean): void {
      const inUse = editions.inUse()
      if (!inUse) throw new Error('the lane has no catalog yet')
      const { currentId, previousId } = inUse
      editions.setInUse(tx, { ...inUse, currentId: id, previousId: isRetained ? currentId : null })
      // The new edition may be the previous one, which must then not be deleted.
      const unused = [previousId, isRetained ? null : currentId]
        .filter((one) => one !== id)
        .filter((one) => one !== null)
      for (const one of unused) editions.drop(tx, one)
      // Delete the files of unused editions only: another file may belong to an import that a manager is reviewing.
      ctx.transact.afterCommit(() => {
        live.switchTo(id)
        unused.forEach(live.discard)
        live.announce()
      })
    },

    /**
     * Prepares to restore the edition before the last import; the returned function restores it. The other lanes of a
     * store get it as an import, so the edits made to that edition become part of it. Rejects with
     * `catalog-before-empty` if all its items were removed.
     */
    async restorePrevious(): Promise<(tx: Tx, byId: string) => void> {
      const asked = editions.inUse()
      if (asked?.previousId) await live.prepare(asked.previousId)
      const copy = asked?.previousId ? await copyOf(ctx, asked.previousId) : null
      return (tx, byId) => {
        const inUse = editions.inUse()
        if (!inUse?.previousId || inUse.currentId !== asked?.currentId) throw new Error('nothing to bring back')
        const { previousId, currentId } = inUse
        if (copy) insert(ctx, tx, copy)
        const edition = copy ?? editions.byId(previousId)
        editions.setInUse(tx, { ...inUse, currentId: edition.id, previousId: null })
        editions.drop(tx, currentId)
        if (copy) editions.drop(tx, previousId)
        imports.send(tx, { id: copy?.id ?? randomUUID(), edition, byId, profileHash: null, undone: true })
        sellFrom(ctx, edition.id, [])
      }
    },
  }
}

export const editionSwitchOf = perLane(createEditionSwitch)
