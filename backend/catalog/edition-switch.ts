import { randomUUID } from 'node:crypto'
import type { Tx } from '../core/db/transact.ts'
import { ProblemError } from '../core/problem.ts'
import { openEditionFile } from './editions/edition-file.ts'
import { type Edition, editionsOf } from './editions/editions.sql.ts'
import { copyBeside } from './editions/make-beside.ts'
import { sharedOf } from './shared/shared-imports.ts'
import { liveEditionOf } from './editions/live-edition.ts'
import { type Ctx, perLane } from '../core/context.ts'

/** How an edition comes to be sold from. */
export interface TakenAs {
  /** SHA-256 of the profile’s file, where it is made of that. */
  readonly profileHash: string | null
  /** The lane’s very first: other lanes begin with it too. */
  readonly isFirst?: boolean
}

/** Behind the commit: the file of this edition is read from now on, and no other is kept but `kept`. */
function sellFrom(ctx: Ctx, id: string, kept: readonly (string | null)[]): void {
  const live = liveEditionOf(ctx)
  ctx.transact.afterCommit(() => {
    live.switchTo(id)
    live.tidy([id, ...kept])
    live.announce()
  })
}

function insert(ctx: Ctx, tx: Tx, edition: Edition): void {
  const file = openEditionFile(liveEditionOf(ctx).pathOf(edition.id), { readonly: true })
  try {
    // All at once: closing a file that is being read fails, and would hide why the insert did.
    editionsOf(ctx).insert(
      tx,
      edition,
      file.prepare<[], Buffer>('SELECT chunk FROM source ORDER BY number').pluck().all(),
    )
  } finally {
    file.close()
  }
}

/** An edition whose file has the whole of what is sold from another, edits and all; null where it has none. */
async function copyOf(ctx: Ctx, id: string): Promise<Edition | null> {
  const [live, editions] = [liveEditionOf(ctx), editionsOf(ctx)]
  if (editions.changeCount(id) === 0) return null
  const edition = randomUUID()
  const copied = await copyBeside({ kind: 'copy', from: live.pathOf(id), target: live.pathOf(edition), edition })
  if (copied.items === 0) {
    live.discard(edition)
    throw new ProblemError('catalog-before-empty')
  }
  return { ...editions.byId(id), id: edition, items: copied.items, sourceHash: Buffer.from(copied.sourceHash) }
}

export type EditionSwitch = ReturnType<typeof createEditionSwitch>

/** Which edition is sold from, from one to the next, in one transaction each. */
function createEditionSwitch(ctx: Ctx) {
  const [live, editions] = [liveEditionOf(ctx), editionsOf(ctx)]
  const { imports } = sharedOf(ctx)
  return {
    /** Sells from a new edition, whose file is there; the one before it can be brought back. */
    take(tx: Tx, edition: Edition, { profileHash, isFirst = false }: TakenAs): void {
      const before = editions.inUse()
      insert(ctx, tx, edition)
      editions.setInUse(tx, {
        currentId: edition.id,
        previousId: before?.currentId ?? null,
        profileHash: profileHash ?? before?.profileHash ?? null,
      })
      if (before?.previousId) editions.drop(tx, before.previousId)
      if (!isFirst) imports.tell(tx, { id: edition.id, edition, byId: edition.madeBy, profileHash, undone: false })
      sellFrom(ctx, edition.id, [before?.currentId ?? null])
    },

    /** Sells from an edition that stands in the database already, with its file. `keeps` the one before it. */
    adopt(tx: Tx, id: string, keeps: boolean): void {
      const inUse = editions.inUse()
      if (!inUse) throw new Error('there is no catalog yet')
      const { currentId, previousId } = inUse
      editions.setInUse(tx, { ...inUse, currentId: id, previousId: keeps ? currentId : null })
      // What was sold before may be what counts again.
      const gone = [previousId, keeps ? null : currentId].filter((one) => one !== id).filter((one) => one !== null)
      for (const one of gone) editions.drop(tx, one)
      // Not every other file: one that a manager is looking at stays.
      ctx.transact.afterCommit(() => {
        live.switchTo(id)
        gone.forEach(live.discard)
        live.announce()
      })
    },

    /**
     * Brings the edition before the last import back, in the transaction that its answer is given. What was edited of
     * it becomes a part of it where other lanes follow: to them it is an import like another. Rejects with
     * `catalog-before-empty` where every item of it was removed.
     */
    async bringBack(): Promise<(tx: Tx, byId: string) => void> {
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
        imports.tell(tx, { id: copy?.id ?? randomUUID(), edition, byId, profileHash: null, undone: true })
        sellFrom(ctx, edition.id, [])
      }
    },
  }
}

export const editionSwitchOf = perLane(createEditionSwitch)
