import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { ActivatedCard, ForgoneCard, VOUCHER_PATHS } from '../../../contracts/store/vouchers.ts'
import { ProblemError } from '../../http/problem.ts'
import type { StoreLink } from '../../store/store-link.ts'

export interface ActivationsOptions {
  readonly store: Pick<StoreLink, 'ask' | 'tell' | 'seal'>
  /** The hash of a code that every lane of the store makes. */
  readonly hashOf: (code: string) => string
}

export type Activations = ReturnType<typeof createActivations>

/**
 * Cards with a number of their own that this lane is selling: no other lane sells them meanwhile, where the store
 * answers. Where it does not, the card is sold all the same; two lanes that both sold it have put both amounts on it.
 */
export function createActivations({ store, hashOf }: ActivationsOptions) {
  /** By the code; the sale and the line that sell it once they are known. In memory: the store forgets by itself. */
  const selling = new Map<string, { readonly saleId: string; readonly line: number } | null>()

  function forgo(code: string): void {
    if (!selling.delete(code)) return
    void store.tell(VOUCHER_PATHS.forgo, { protocol: STORE_PROTOCOL, hash: hashOf(code) }, ForgoneCard)
  }

  return {
    /**
     * Asks the store, `ASK_MS` at most. Throws ProblemError `gift-card-used` where it was sold, `gift-card-elsewhere`
     * where another lane is selling it. What it answers is called when the command has ended: a card that was not rung
     * is given up.
     */
    async begin(code: string): Promise<(() => void) | undefined> {
      if (store.seal() === null || selling.has(code)) return
      const request = { protocol: STORE_PROTOCOL, hash: hashOf(code) }
      const heard = await store.ask(VOUCHER_PATHS.activate, request, ActivatedCard)
      if (heard.kind !== 'answer') return
      if (heard.body.kind === 'active') throw new ProblemError('gift-card-used')
      if (heard.body.kind === 'elsewhere') throw new ProblemError('gift-card-elsewhere')
      selling.set(code, null)
      return () => {
        if (selling.get(code) === null) forgo(code)
      }
    },

    /** The card is a line of this sale. */
    rung(code: string, saleId: string, line: number): void {
      if (selling.has(code)) selling.set(code, { saleId, line })
    },

    /** A sale has changed: cards whose line is void, or whose sale was cancelled, are anybody's again. */
    changed({ id, state }: { readonly id: string; readonly state: string }, stands: (line: number) => boolean): void {
      for (const [code, at] of selling) {
        if (at?.saleId !== id) continue
        if (state === 'completed') selling.delete(code)
        else if (state === 'cancelled' || !stands(at.line)) forgo(code)
      }
    },
  }
}
