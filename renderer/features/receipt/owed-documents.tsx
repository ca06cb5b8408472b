import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useEffect } from 'react'
import type { EarlierSale, OwedDocument } from '../../../contracts/api/earlier-sales.ts'
import { storeApi } from '../../api/store-api.ts'
import type { ReprintedDocument } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { reprint } from '../../state/documents.ts'
import { useEvents } from '../../state/events.ts'
import { useTerminal } from '../../state/terminal.ts'
import { Button } from '../../ui/button.tsx'
import { Tag, type TagTone } from '../../ui/surface.tsx'
import { useOwedName } from './owed-name.ts'
import styles from './earlier-sales.module.css'

export const RECEIPT_TONES = {
  printed: 'ok',
  printing: 'neutral',
  unknown: 'warn',
  'not-printed': 'danger',
  none: 'neutral',
} as const satisfies Record<EarlierSale['receipt'], TagTone>

const REPRINTED = {
  return: 'return',
  'store-credit': 'voucher',
  'gift-card': 'voucher',
  'cash-movement': 'cash-movement',
  shift: 'shift',
  'z-report': 'z-report',
  closing: 'closing',
} as const satisfies Record<OwedDocument['paper'], ReprintedDocument>
const OF_MANAGERS: ReadonlySet<OwedDocument['paper']> = new Set(['shift', 'z-report', 'closing'])

/** Asked once for whoever on the page wants to know, and again when the printer has told something. */
export function useOwedDocuments() {
  const changes = useEvents((state) => state.printCount)
  const owed = useQuery({ queryKey: ['owed-documents'], queryFn: () => storeApi.owedDocuments() })
  const { refetch } = owed
  useEffect(() => {
    void refetch()
  }, [changes, refetch])
  return owed
}

/**
 * Documents of anything but a sale that never came out of the printer: a store credit without its paper is money that
 * nobody has, a Z without its own is missing in the binder.
 */
export function OwedDocuments() {
  const { t, format } = useWords()
  const nameOf = useOwedName()
  const isManager = useTerminal((state) => state.terminal?.signedIn?.role === 'manager')
  const documents = useOwedDocuments().data?.documents ?? []
  if (documents.length === 0) return null
  return (
    <ul className={styles['owed']} aria-label={t('earlier.owed')}>
      {documents.map((document) => {
        const { paper, id, at, totalCents, receipt } = document
        const name = nameOf(document)
        return (
          <li key={id} className="figures">
            <span className="words">
              <strong>{name}</strong> {format.dateTime(at)}{' '}
              <Tag tone={RECEIPT_TONES[receipt]}>{t(`earlier.receipt.${receipt}`)}</Tag>
            </span>
            <span>{totalCents === null ? '' : format.money(totalCents)}</span>
            {OF_MANAGERS.has(paper) && !isManager ? (
              <small>{t('earlier.owedManager')}</small>
            ) : (
              <Button
                icon={<Printer />}
                aria-label={t('earlier.owedPrintOf', { name })}
                isDisabled={receipt === 'printing'}
                onPress={() => void reprint(id, REPRINTED[paper])}
              >
                {t('earlier.owedPrint')}
              </Button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
