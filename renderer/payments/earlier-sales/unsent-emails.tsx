import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, Mail } from 'lucide-react'
import { useEffect } from 'react'
import { showAnswer, storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { report } from '../../core/state/notices.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { Button } from '../../core/ui/button.tsx'
import { Tag } from '../../core/ui/surface.tsx'
import { openDelivery } from '../receipt/delivery.ts'
import styles from './earlier-sales.module.css'

const QUERY = ['receipt-deliveries'] as const

/** E-mails that wait or could not be sent. Only managers may read them. */
export function useUnsentEmails() {
  const isManager = useTerminal(({ terminal }) => terminal?.signedIn?.role === 'manager')
  const changes = useEvents((state) => state.printCount)
  const unsent = useQuery({ queryKey: QUERY, queryFn: () => storeApi.deliveries(), enabled: isManager })
  const { refetch } = unsent
  useEffect(() => {
    if (isManager) void refetch()
  }, [changes, refetch, isManager])
  return unsent.data?.deliveries ?? []
}

/** Lists e-mails with receipts that a customer has not received, without their addresses. */
export function UnsentEmails() {
  const { t, format } = useI18n()
  const queries = useQueryClient()
  const deliveries = useUnsentEmails()
  if (deliveries.length === 0) return null
  const clear = async (id: string): Promise<void> => {
    try {
      await showAnswer(queries, QUERY, await storeApi.deliverySeen(id))
    } catch (error) {
      report(error)
    }
  }
  return (
    <ul className={styles['unprinted']} aria-label={t('delivery.unsent')}>
      {deliveries.map(({ id, saleId, at, by, state, problem }) => (
        <li key={id} className="figures">
          <span className="prose">
            <strong>{saleId}</strong> {format.dateTime(at)} · {by}{' '}
            <Tag tone={state === 'failed' ? 'danger' : 'neutral'}>{t(`delivery.state.${state}`)}</Tag>
            {problem !== null && <small className="block">{t(`delivery.problem.${problem}`)}</small>}
          </span>
          {state === 'failed' ? (
            <>
              <Button icon={<Mail />} onPress={() => openDelivery(saleId)}>
                {t('delivery.again')}
              </Button>
              <Button
                icon={<Check />}
                aria-label={t('delivery.clearOf', { id: saleId })}
                onPress={() => void clear(id)}
              >
                {t('delivery.clear')}
              </Button>
            </>
          ) : (
            <small>{t('delivery.byItself')}</small>
          )}
        </li>
      ))}
    </ul>
  )
}
