import type { Sale } from '../../../contracts/api/sales.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { Tag, type TagTone } from '../../ui/surface.tsx'

type Issuance = NonNullable<Sale['issuance']>

/** What became of the miles of a closed sale. The status of each entry counts: what waits or was refused is not "issued". */
export function IssuedMiles({ sale }: { readonly sale: Sale }) {
  const { t } = useWords()
  const words = useIssuanceWords()
  if (!sale.issuance) return <>{t(sale.member ? 'after.noMiles' : 'after.noCollector')}</>
  const { state, refusal } = sale.issuance
  if (refusal) return <Tag tone="warn">{t(`after.noEarning.${refusal}`)}</Tag>
  return <Tag tone={TONES[state]}>{words(sale.issuance, sale.milesPreview)}</Tag>
}

const TONES = {
  queued: 'miles', sent: 'miles', confirmed: 'ok', accepted: 'miles', rejected: 'warn', dead: 'warn', escalated: 'warn',
} as const satisfies Record<Issuance['state'], TagTone>
type Counted = 'queued' | 'sent' | 'confirmed' | 'accepted' | 'rejected'

function useIssuanceWords(): (issuance: Issuance, preview: number | null) => string {
  const { t } = useWords()
  const milesText = useMilesText()
  const counted = (words: Counted, count: number): string => t(`after.issuance.${words}`, { miles: milesText(count), count })
  return ({ state, miles, pending, rejected }, preview) => {
    switch (state) {
      case 'dead': case 'escalated': return t(`after.issuance.${state}`)
      case 'queued': case 'sent': {
        const expected = miles ?? preview
        if (expected === null) return t(`after.issuance.${state}Unknown`)
        return expected === 0 ? t('after.issuance.none') : counted(state, expected)
      }
      case 'confirmed': case 'accepted': case 'rejected': {
        const parts = [
          ...(miles === null ? [t('after.issuance.confirmedUnknown')] : miles > 0 ? [counted('confirmed', miles)] : []),
          ...(pending === null && state === 'accepted' ? [t('after.issuance.acceptedUnknown')] : (pending ?? 0) > 0 ? [counted('accepted', pending ?? 0)] : []),
          ...((rejected ?? 0) > 0 ? [counted('rejected', rejected ?? 0)] : []),
        ]
        return parts.length > 0 ? parts.join(' · ') : t('after.issuance.none')
      }
    }
  }
}
