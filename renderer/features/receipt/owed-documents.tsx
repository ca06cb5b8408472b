import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useEffect } from 'react'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useEvents } from '../../state/events.ts'
import { reprint } from '../../state/documents.ts'
import { Button } from '../../ui/button.tsx'
import styles from './earlier-sales.module.css'

/** Asked once for whoever on the page wants to know. */
export const useOwedDocuments = () => useQuery({ queryKey: ['owed-documents'], queryFn: () => api.owedDocuments() })

/**
 * Documents of returns, store credits and gift cards that never came out of the printer: a store credit without its
 * paper
 * is money that nobody has.
 */
export function OwedDocuments() {
  const { t, format } = useWords()
  const changes = useEvents((state) => state.printCount)
  const owed = useOwedDocuments()
  const { refetch } = owed
  useEffect(() => {
    void refetch()
  }, [changes, refetch])
  const documents = owed.data?.documents ?? []
  if (documents.length === 0) return null
  return (
    <ul className={styles['owed']} aria-label={t('earlier.owed')}>
      {documents.map(({ paper, id, name, at, totalCents }) => (
        <li key={id} className="figures">
          <span className="words">
            <strong>
              {t(`earlier.owedKind.${paper}`)} {name}
            </strong>{' '}
            {format.dateTime(at)}
          </span>
          <span>{format.money(totalCents)}</span>
          <Button icon={<Printer />} onPress={() => void reprint(id, paper === 'return' ? 'return' : 'voucher')}>
            {t('earlier.owedPrint')}
          </Button>
        </li>
      ))}
    </ul>
  )
}
