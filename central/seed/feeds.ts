import type { StoredOffer } from '../offers/model.ts'

/** Query parameters that are bound to a client (specification 1 §4.1); what the bound ones may be is not shown. */
export function seedFeeds(
  offers: readonly StoredOffer[],
): { originClient: string; parameters: Record<string, string> }[] {
  const riverbend = offers.find((offer) => offer.partnerSlug === 'riverbend')
  return [
    { originClient: 'external:web:cardlinked-feed', parameters: { program_type: 'cardlinked', sort: 'endingSoon' } },
    ...(riverbend
      ? [{ originClient: 'external:kiosk:riverbend', parameters: { partner_id: riverbend.partnerId } }]
      : []),
  ]
}
