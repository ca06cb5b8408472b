import type { OfferFailure } from '../../../contracts/api/offers-manager.ts'
import type { Failed } from '../../central/service-result.ts'

/** Why the service did not answer, for a person. By the public flow no collector is asked about. */
export const offerFailure = ({ cause, code, correlationId }: Failed): OfferFailure => ({
  cause: cause === 'collector-refused' ? 'refused' : cause,
  code,
  correlationId,
})
