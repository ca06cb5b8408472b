import type { Sale } from '../../../contracts/api/sales.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { Tag, type TagTone } from '../../ui/surface.tsx'
import styles from './after-sale.module.css'

type Issuance = NonNullable<Sale['issuance']>

/**
 * What became of the miles of a closed sale. The status of each entry counts: what waits or was refused is not
 * "issued".
 */
export function IssuedMiles({ sale }: { readonly sale: Sale }) {
  const { t } = useWords()
  const partsOf = useIssuanceParts()
  if (!sale.issuance) return <>{t(sale.member ? 'after.noMiles' : 'after.noCollector')}</>
  const { refusal } = sale.issuance
  const parts = refusal
    ? [{ tone: 'warn', words: t(`after.noEarning.${refusal}`) } as const]
    : partsOf(sale.issuance, sale.milesPreview)
  return (
    <span className={styles['parts']}>
      {parts.map(({ tone, words }) => (
        <Tag key={words} tone={tone}>
          {words}
        </Tag>
      ))}
    </span>
  )
}

interface Part {
  readonly tone: TagTone
  readonly words: string
}
const TONES = {
  queued: 'miles',
  sent: 'miles',
  confirmed: 'ok',
  accepted: 'miles',
  rejected: 'warn',
} as const satisfies Record<string, TagTone>
type Counted = keyof typeof TONES

/**
 * Each part of an answer with its own colour: miles that were refused are not seen in the colour of those that wait.
 */
function useIssuanceParts(): (issuance: Issuance, preview: number | null) => readonly Part[] {
  const { t } = useWords()
  const milesText = useMilesText()
  const counted = (words: Counted, count: number): Part => ({
    tone: TONES[words],
    words: t(`after.issuance.${words}`, { miles: milesText(count), count }),
  })
  const uncounted = (words: 'queued' | 'sent' | 'confirmed' | 'accepted'): Part => ({
    tone: TONES[words],
    words: t(`after.issuance.${words}Unknown`),
  })
  const none: Part = { tone: 'neutral', words: t('after.issuance.none') }
  return ({ state, miles, pending, rejected }, preview) => {
    switch (state) {
      case 'dead':
      case 'escalated':
        return [{ tone: 'warn', words: t(`after.issuance.${state}`) }]
      case 'queued':
      case 'sent': {
        const expected = miles ?? preview
        return [expected === null ? uncounted(state) : expected === 0 ? none : counted(state, expected)]
      }
      case 'confirmed':
      case 'accepted':
      case 'rejected': {
        const parts = [
          ...(miles === null ? [uncounted('confirmed')] : miles > 0 ? [counted('confirmed', miles)] : []),
          ...(pending === null && state === 'accepted'
            ? [uncounted('accepted')]
            : (pending ?? 0) > 0
              ? [counted('accepted', pending ?? 0)]
              : []),
          ...((rejected ?? 0) > 0 ? [counted('rejected', rejected ?? 0)] : []),
        ]
        return parts.length > 0 ? parts : [none]
      }
    }
  }
}
