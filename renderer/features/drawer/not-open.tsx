import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Calculator, Inbox, LockKeyholeOpen } from 'lucide-react'
import { useState } from 'react'
import { storeApi } from '../../api/store-api.ts'
import type { GivenCash } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { withApproval } from '../../state/approvals.ts'
import { cashCents, givenCash, NO_CASH } from '../../state/drawer-counts.ts'
import { clearProblems, notify } from '../../state/notices.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { Empty } from '../../ui/surface.tsx'
import { CashCount } from './cash-count.tsx'
import styles from './drawer.module.css'
import { SHIFTS } from './use-current-shift.ts'

/** No drawer is open: with what it begins, by one press where that is known, else counted. */
export function NotOpen({
  mustOpen,
  suggestedCents,
}: {
  readonly mustOpen: boolean
  readonly suggestedCents: number | null
}) {
  const { t, format } = useWords()
  const [counting, setCounting] = useState(false)
  const queries = useQueryClient()
  const open = useMutation({
    mutationFn: (float: GivenCash) =>
      withApproval(async (approval) => {
        const { shift } = await storeApi.openShift(float, approval)
        void queries.invalidateQueries({ queryKey: [SHIFTS] })
        clearProblems()
        notify('success', (words) => words.t('shifts.opened', { amount: words.format.money(shift.floatCents) }))
      }),
  })
  const suggest = (): void => {
    if (suggestedCents !== null) open.mutate({ by: 'sum', cents: suggestedCents })
  }
  return (
    <div className={styles['notOpen']}>
      {open.isError && !counting && <LoadFailed error={open.error} retry={suggest} />}
      <Empty
        icon={<Inbox />}
        title={t('shifts.notOpenTitle')}
        text={t(mustOpen ? 'shifts.notOpenMust' : 'shifts.notOpen')}
      >
        <div className={styles['ways']}>
          {suggestedCents !== null && (
            <Button size="l" look="primary" icon={<LockKeyholeOpen />} isDisabled={open.isPending} onPress={suggest}>
              {t('shifts.openWith', { amount: format.money(suggestedCents) })}
            </Button>
          )}
          <Button
            size="l"
            look={suggestedCents === null ? 'primary' : 'plain'}
            icon={<Calculator />}
            onPress={() => {
              open.reset()
              setCounting(true)
            }}
          >
            {t('shifts.countFloat')}
          </Button>
        </div>
      </Empty>
      {counting && (
        <FloatDialog
          error={open.error}
          isPending={open.isPending}
          onOpen={(float) => open.mutate(float)}
          onClose={() => setCounting(false)}
        />
      )}
    </div>
  )
}

function FloatDialog({
  error,
  isPending,
  onOpen,
  onClose,
}: {
  readonly error: Error | null
  readonly isPending: boolean
  readonly onOpen: (float: GivenCash) => void
  readonly onClose: () => void
}) {
  const { t, format } = useWords()
  const [draft, setDraft] = useState(NO_CASH)
  const confirm = (): void => {
    if (!isPending) onOpen(givenCash(draft))
  }
  return (
    <Dialog open onClose={onClose} size="l" title={t('shifts.countFloat')}>
      <CashCount draft={draft} onChange={setDraft} onEnter={confirm} />
      {error && <LoadFailed error={error} retry={confirm} />}
      <div className={styles['foot']}>
        <Button size="l" onPress={onClose}>
          {t('actions.back')}
        </Button>
        <Button size="l" look="primary" icon={<LockKeyholeOpen />} isDisabled={isPending} onPress={confirm}>
          {t('shifts.openWith', { amount: format.money(cashCents(draft)) })}
        </Button>
      </div>
    </Dialog>
  )
}
