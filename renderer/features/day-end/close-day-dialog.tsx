import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CalendarCheck2 } from 'lucide-react'
import type { ZReportList } from '../../../contracts/api/day-end.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useHeldSales } from '../../state/held-sales.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { SHIFTS } from '../drawer/use-current-shift.ts'
import styles from './day-end.module.css'

/** The question before a Z: what it takes in, and what it leaves for the next. */
export function CloseDayDialog({
  day: { next, waiting },
  onClose,
  onMade,
}: {
  readonly day: ZReportList
  readonly onClose: () => void
  readonly onMade: (number: number) => void
}) {
  const { t } = useWords()
  const queries = useQueryClient()
  const held = useHeldSales((state) => state.sales.length)
  const close = useMutation({
    mutationFn: storeApi.closeDay,
    onSuccess: ({ report }) => {
      void queries.invalidateQueries({ queryKey: [SHIFTS] })
      onMade(report.number)
    },
  })
  return (
    <Dialog open onClose={onClose} role="alertdialog" title={t('dayEnd.confirmTitle')}>
      <p>
        {t('dayEnd.confirmText', { number: String(next), count: waiting.closed })} {t('dayEnd.confirmFinal')}
      </p>
      {waiting.open > 0 && <p>{t('dayEnd.confirmOpen', { count: waiting.open })}</p>}
      {held > 0 && <p>{t('held.statusHelp', { count: held })}</p>}
      {close.isError && <LoadFailed error={close.error} retry={() => close.mutate()} />}
      <div className={styles['foot']}>
        <Button size="l" autoFocus isDisabled={close.isPending} onPress={onClose}>
          {t('dayEnd.confirmKeep')}
        </Button>
        <Button
          size="l"
          look="primary"
          icon={<CalendarCheck2 />}
          isDisabled={close.isPending}
          onPress={() => close.mutate()}
        >
          {t(close.isPending ? 'shifts.sending' : 'dayEnd.confirm')}
        </Button>
      </div>
    </Dialog>
  )
}
