import { create } from 'zustand'
import type { CashInput, CountInput } from '../../core/api/terminal-api.ts'
import { DENOMINATIONS, type Denomination } from '../../../contracts/core/denominations.ts'

/** Number of each coin and note as typed; missing or empty where nothing was typed. */
export type Pieces = Readonly<Partial<Record<Denomination, string>>>

export interface CashDraft {
  readonly by: CashInput['by']
  readonly pieces: Pieces
  readonly sumCents: number | null
}

/** A drawer count in progress. Null where nothing was typed: not counted, which differs from zero. */
export interface CountDraft {
  readonly cash: CashDraft
  readonly cardSlipsCents: number | null
  readonly chequesCents: number | null
  readonly couponsCents: number | null
}

export const NO_CASH: CashDraft = { by: 'pieces', pieces: {}, sumCents: null }
const NOTHING: CountDraft = { cash: NO_CASH, cardSlipsCents: null, chequesCents: null, couponsCents: null }

/** Counts in progress, by shift. They remain when the dialog or page closes, until the cashier changes. */
const useCounts = create<{ readonly drafts: ReadonlyMap<number, CountDraft> }>()(() => ({ drafts: new Map() }))

export const useCountDraft = (shiftId: number): CountDraft => useCounts(({ drafts }) => drafts.get(shiftId)) ?? NOTHING

/**
 * Changes a count in progress, based on the stored and not the rendered state, because keys may arrive faster than
 * renders.
 */
export const changeCount = (shiftId: number, change: (draft: CountDraft) => Partial<CountDraft>): void =>
  useCounts.setState(({ drafts }) => {
    const draft = drafts.get(shiftId) ?? NOTHING
    return { drafts: new Map(drafts).set(shiftId, { ...draft, ...change(draft) }) }
  })

export const forgetCounts = (): void => useCounts.setState({ drafts: new Map() })

const piecesOf = (typed: string | undefined): number => Number(typed ?? '')

export const cashCents = ({ by, pieces, sumCents }: CashDraft): number =>
  by === 'sum'
    ? (sumCents ?? 0)
    : DENOMINATIONS.reduce<number>((sum, worth) => sum + worth * piecesOf(pieces[worth]), 0)

export const cashInput = (draft: CashDraft): CashInput =>
  draft.by === 'sum'
    ? { by: 'sum', cents: draft.sumCents ?? 0 }
    : {
        by: 'pieces',
        pieces: Object.fromEntries(
          DENOMINATIONS.flatMap((worth) => {
            const pieces = piecesOf(draft.pieces[worth])
            return pieces === 0 ? [] : [[String(worth), pieces]]
          }),
        ),
      }

export const countInput = ({ cash, ...papers }: CountDraft): CountInput => ({ cash: cashInput(cash), ...papers })
