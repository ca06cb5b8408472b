import type { Sale } from '../../../contracts/api/sales.ts'
import type { Tx } from '../../db/transact.ts'
import { ProblemError } from '../../http/problem.ts'
import type { Guard, Who } from '../approvals/guard.ts'
import type { Members } from '../member/service.ts'
import { stateOf, type SalesRepository } from '../sales/repository.ts'
import type { Sales } from '../sales/service.ts'
import type { SaleChange } from '../sales/undo-rows.ts'

export interface UndoOptions {
  readonly sales: Sales
  readonly repository: SalesRepository
  readonly members: Members
  readonly guard: Guard
}

export type Undo = ReturnType<typeof createUndo>

/**
 * Takes the changes of a sale back, one a call, the newest first. A tender is none of them: while it stands, what was
 * changed before it is out of reach (docs/decisions/0049); it is given back by its own command.
 */
export function createUndo({ sales, repository, members, guard }: UndoOptions) {
  function restore(tx: Tx, id: string, before: SaleChange['before']): void {
    switch (before.of) {
      case 'line': {
        const line = sales.parts(id).lines.find(({ number }) => number === before.number)
        if (line) repository.setLine(tx, id, before.number, before.row ?? { ...stateOf(line), voided: 1 })
        return
      }
      case 'discount':
        repository.discounts.setRemoved(tx, id, before.number, before.removed)
        return
      case 'member':
        members.restore(tx, id, before.card)
        return
      case 'note':
        repository.setNote(tx, id, before.text)
        return
      case 'exemption':
        repository.setExemption(tx, id, before.json)
    }
  }

  return {
    /** Throws ProblemError `nothing-to-undo`. */
    undo(id: string, version: number, who: Who): Sale {
      let taken: SaleChange | null = null
      const sale = sales.command(id, version, 'command', (tx, now) => {
        sales.refuseDuringPayment(now)
        const change = now.lastChange
        if (!change) throw new ProblemError('nothing-to-undo')
        taken = change
        restore(tx, id, change.before)
        sales.refuseBelowTendered(id)
        // What was taken back since may have been taken back on purpose: putting it back is giving it.
        const word = guard.change(now, sales.parts(id), who)
        guard.record(tx, 'change-undone', id, word, { change: change.kind })
        return 'undone'
      })
      // A collector who is back on the sale is asked about anew.
      if ((taken as SaleChange | null)?.before.of === 'member') members.resume(id)
      return sale
    },
  }
}
