import type { Region } from '../../contracts/regions.ts'
import type { StoredOffer, Viewer } from './model.ts'
import { isVisible } from './query.ts'

export const WARNINGS = {
  'err-login-required': { returned: true, message: 'This offer is for chosen collectors: sign in to use it' },
  // mutant: region-kept-back
  'err-region': { returned: true, message: 'This offer is not for this region' },
  'err-not-found': { returned: false, message: 'There is no such offer' },
  'err-expired': { returned: false, message: 'This offer has expired' },
  'err-not-live': { returned: false, message: 'This offer has not started yet' },
  'err-exclusive': { returned: false, message: 'This offer is for other collectors' },
} as const
export type WarningCode = keyof typeof WARNINGS

export interface Warned {
  readonly warning: { readonly errorCode: WarningCode; readonly message: string } | null
  readonly returned: boolean
}

/** The warning of a single offer (specification 1 §7). Where several hold, one that keeps the offer back wins. */
export function warningOf(offer: StoredOffer | undefined, region: Region, viewer: Viewer, localNow: string): Warned {
  const code = codeOf(offer, region, viewer, localNow)
  return code === null
    ? { warning: null, returned: true }
    : { warning: { errorCode: code, message: WARNINGS[code].message }, returned: WARNINGS[code].returned }
}

function codeOf(offer: StoredOffer | undefined, region: Region, viewer: Viewer, localNow: string): WarningCode | null {
  if (!offer) return 'err-not-found'
  if (localNow >= offer.endDate) return 'err-expired'
  if (localNow < offer.displayDate) return 'err-not-live'
  if (!isVisible(offer, viewer)) return viewer.kind === 'public' ? 'err-login-required' : 'err-exclusive'
  return offer.regions.includes(region) ? null : 'err-region'
}
