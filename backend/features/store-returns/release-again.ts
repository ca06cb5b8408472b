import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { ClaimedReturns, RECEIPT_PATHS, ReleaseAnswer } from '../../../contracts/store/receipts.ts'
import type { StoreLink } from '../../store/store-link.ts'
import type { StoreReturnsRepository } from './repository.ts'

export interface ReleaseAgainOptions {
  readonly link: Pick<StoreLink, 'tell'>
  readonly repository: Pick<StoreReturnsRepository, 'claimById'>
}

/**
 * Claims that this lane has given up, and that a database which went back to a backup counts as claimed again: nobody
 * could return their goods any more. False: the store did not answer.
 */
export async function releaseAgain({ link, repository }: ReleaseAgainOptions): Promise<boolean> {
  const heard = await link.tell(RECEIPT_PATHS.claimed, { protocol: STORE_PROTOCOL }, ClaimedReturns)
  if (heard.kind !== 'answer') return heard.kind !== 'away'
  for (const { id, saleId } of heard.body.claims) {
    if (repository.claimById(id)?.state !== 'released') continue
    const { kind } = await link.tell(RECEIPT_PATHS.release, { protocol: STORE_PROTOCOL, id, saleId }, ReleaseAnswer)
    if (kind === 'away') return false
  }
  return true
}
