import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useEffect } from 'react'
import type { EarlierSale, UnprintedDocument } from '../../../contracts/day/search.ts'
import { storeApi } from '../../core/api/store-api.ts'
import type { ReprintedDocument } from '../../core/api/terminal-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
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
} as const satisfies Record<UnprintedDocument['paper'], ReprintedDocument>
const OF_MANAGERS: ReadonlySet<UnprintedDocument['paper']> = new Set(['shift', 'z-report', 'closing'])

export function useUnprintedDocuments() {
  const changes = useEvents((state) => state.printCount)
  const unprinted = useQuery({ queryKey: ['owed-documents'], queryFn: () => storeApi.unprintedDocuments() })
  const { refetch } = unprinted
  useEffect(() => {
    void refetch()
  }, [changes, refetch])
  return unprinted
}

/**
 * Lists unprinted documents other than receipts: without paper, a customer cannot use a store credit, and a Z report is
 * missing in the binder.
 */
export function UnprintedDocuments() {
  const { t, format } = useI18n()
  const nameOf = useDocumentName()
  const isManager = useTerminal((state) => state.terminal?.signedIn?.role === 'manager')
  const documents = useUnprintedDocuments().data?.documents ?? []
  if (documents.length === 0) return null
  return (
    <ul className={styles['unprinted']} aria-label={t('earlier.owed')}>
      {documents.map((document) => {
        const { paper, id, at, totalCents, receipt } = document
        const name = nameOf(document)
        return (
          <li key={id} className="figures">
            <span className="prose">
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

/** Matches the id of a closing that was printed before its period ended. */
const SO_FAR = /X$/

export function useDocumentName(): (document: UnprintedDocument) => string {
  const { t, format } = useI18n()
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
