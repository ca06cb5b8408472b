import { Undo2 } from 'lucide-react'
import type { z } from 'zod'
import type { Tender } from '../../../contracts/api/sales.ts'
import { useWords } from '../../i18n/words.tsx'
import { cashKept } from '../../state/give-back.ts'
import { useSale } from '../../state/sale.ts'
import { IconButton } from '../../ui/button.tsx'
import { useAction } from '../../ui/use-actions.ts'
import { partialApproval } from './partial-approval.ts'
import { TENDER_SCREENS } from './registry.tsx'
import styles from './tender.module.css'

/** The payments taken so far, each with what proves it and the way to give it back. */
export function TenderList({ tenders }: { readonly tenders: readonly z.infer<typeof Tender>[] }) {
  const words = useWords()
  const { t, format } = words
  const back = useAction('tender-back')
  const sale = useSale((state) => state.current)
  const partial = sale && partialApproval(sale)
  if (tenders.length === 0) return null
  return (
    <>
      {partial && <p role="alert">{partial(words)}</p>}
      <ul className={styles['tenders']} aria-label={t('sale.tenders')}>
        {tenders.map((tender, index) => (
          <li key={index} className="figures">
            <span aria-hidden="true">{TENDER_SCREENS[tender.kind].icon}</span>
            <span className="words">
              {t(`tender.kind.${tender.kind}`)}
              {tender.reference && (
                <small className="selectable">
                  {TENDER_SCREENS[tender.kind].proof(tender, tender.reference, words)}
                </small>
              )}
            </span>
            {/* Cash as it lies in the drawer: rounded, and without the change. */}
            <strong>{format.money(tender.kind === 'cash' ? cashKept(tender) : tender.amountCents)}</strong>
            {back.enabled && (
              <IconButton
                label={t('tender.takeBackOf', {
                  kind: t(`tender.kind.${tender.kind}`),
                  amount: format.money(tender.amountCents),
                })}
                icon={<Undo2 />}
                onPress={() => useSale.setState({ givingBack: tender.number })}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
