import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useEffect } from 'react'
import type { EarlierSale, OwedDocument } from '../../../contracts/day/search.ts'
import { storeApi } from '../../core/api/store-api.ts'
import type { ReprintedDocument } from '../../core/api/terminal-api.ts'
import { useWords } from '../../core/i18n/words.tsx'
import { reprint } from '../receipt/documents.ts'
import { useEvents } from '../../core/state/events.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { Button } from '../../core/ui/button.tsx'
import { Tag, type TagTone } from '../../core/ui/surface.tsx'
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

/** A closing that was printed while more could come to it. */
const SO_FAR = /X$/

/** Which paper it is, in words that tell it from another. */
export function useOwedName(): (document: OwedDocument) => string {
  const { t, format } = useWords()
  return ({ id, ...document }) => {
    switch (document.paper) {
      case 'z-report':
      case 'shift':
        return t(`earlier.owedDay.${document.paper}`, { number: document.name })
      case 'closing':
        return t(SO_FAR.test(id) ? 'earlier.owedDay.soFar' : 'earlier.owedDay.closing', {
          period: format.date(document.name),
        })
      case 'cash-movement':
        return t('earlier.owedDay.cash', { kind: t(`cash.kind.${document.name}`) })
      default:
        return `${t(`earlier.owedKind.${document.paper}`)} ${document.name}`
    }
  }
}
