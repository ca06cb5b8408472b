import { create } from 'zustand'
import type { GivenCash, GivenCount } from '../../core/api/terminal-api.ts'
import { DENOMINATIONS, type Denomination } from '../../../contracts/core/denominations.ts'

/** Pieces of each coin and note as they were typed; empty where nothing was. */
export type Pieces = Readonly<Partial<Record<Denomination, string>>>

/** Cash that is being counted, by pieces or as one sum in cents. */
export interface CashDraft {
  readonly by: GivenCash['by']
  readonly pieces: Pieces
  readonly sumCents: number | null
}

/** A count that is under way. Null where nothing was typed: that is not counted, and no zero. */
export interface CountDraft {
  readonly cash: CashDraft
  readonly cardSlipsCents: number | null
  readonly chequesCents: number | null
}

export const NO_CASH: CashDraft = { by: 'pieces', pieces: {}, sumCents: null }
const NOTHING: CountDraft = { cash: NO_CASH, cardSlipsCents: null, chequesCents: null }

/**
 * Counts that were begun, by shift: whoever closes the dialog, or leaves the page, finds theirs as it was. They belong
 * to whoever counts.
 */
const useCounts = create<{ readonly drafts: ReadonlyMap<number, CountDraft> }>()(() => ({ drafts: new Map() }))

export const useCountDraft = (shiftId: number): CountDraft => useCounts(({ drafts }) => drafts.get(shiftId)) ?? NOTHING

/** A change builds on what is there, and not on what was drawn: keys may come faster than the screen. */
export const changeCount = (shiftId: number, change: (draft: CountDraft) => Partial<CountDraft>): void =>
  useCounts.setState(({ drafts }) => {
    const draft = drafts.get(shiftId) ?? NOTHING
    return { drafts: new Map(drafts).set(shiftId, { ...draft, ...change(draft) }) }
  })

export const forgetCounts = (): void => useCounts.setState({ drafts: new Map() })

const piecesOf = (typed: string | undefined): number => Number(typed ?? '')

/** The sum of a count, in cents. */
export const cashCents = ({ by, pieces, sumCents }: CashDraft): number =>
  by === 'sum'
    ? (sumCents ?? 0)
    : DENOMINATIONS.reduce<number>((sum, worth) => sum + worth * piecesOf(pieces[worth]), 0)

export const givenCash = (draft: CashDraft): GivenCash =>
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

export const givenCount = ({ cash, ...papers }: CountDraft): GivenCount => ({ cash: givenCash(cash), ...papers })
