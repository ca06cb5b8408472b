import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { ActivatedCard, ForgoneCard, VOUCHER_PATHS } from '../../../contracts/store/vouchers.ts'
import type { Clock } from '../../clock.ts'
import { ProblemError } from '../../http/problem.ts'
import type { StoreLink } from '../../store/store-link.ts'

export interface ActivationsOptions {
  readonly store: Pick<StoreLink, 'ask' | 'tell' | 'seal'>
  /** The hash of a code that every lane of the store makes. */
  readonly hashOf: (code: string) => string
  readonly clock: Pick<Clock, 'now'>
}

export type Activations = ReturnType<typeof createActivations>

/**
 * Cards with a number of their own that this lane is selling: no other lane sells them meanwhile, where the store
 * answers. Where it does not, the card is sold all the same; two lanes that both sold it have put both amounts on it.
 */
export function createActivations({ store, hashOf, clock }: ActivationsOptions) {
  const request = (code: string) => ({ protocol: STORE_PROTOCOL, hash: hashOf(code), askedAt: clock.now() })
  return {
    /**
     * Asks the store, `ASK_MS` at most. Throws ProblemError `gift-card-used` where it was sold, `gift-card-elsewhere`
     * where another lane is selling it.
     */
    async begin(code: string): Promise<void> {
      if (store.seal() === null) return
      const heard = await store.ask(VOUCHER_PATHS.activate, request(code), ActivatedCard)
      if (heard.kind !== 'answer') return
      if (heard.body.kind === 'active') throw new ProblemError('gift-card-used')
      if (heard.body.kind === 'elsewhere') throw new ProblemError('gift-card-elsewhere')
    },

    /** It is anybody's again; also where nobody knows whether the store had given it to this lane. */
    forgo(code: string): void {
      if (store.seal() !== null) void store.tell(VOUCHER_PATHS.forgo, request(code), ForgoneCard)
    },
  }
}
