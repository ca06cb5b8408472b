import { useQuery } from '@tanstack/react-query'
import { BadgeCheck } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { endApproval, giveApproval, useApproval, type AskedApproval } from '../../state/approvals.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { PinPad } from '../../ui/pin-pad.tsx'
import { ApprovalFacts } from './approval-facts.tsx'
import styles from './approval.module.css'

/**
 * The one question for a supervisor, whatever the cashier was doing. The cashier stays signed in; the PIN goes with the
 * command and nowhere else.
 */
export function ApprovalDialog() {
  const { asked } = useApproval()
  return asked && <Approving key={asked.request.action} asked={asked} />
}

function Approving({ asked }: { readonly asked: AskedApproval }) {
  const { t } = useWords()
  const staff = useQuery({ queryKey: ['staff'], queryFn: api.staff })
  const [chosen, setChosen] = useState<string | null>(null)
  const approvers = staff.data?.staff.filter(({ role }) => asked.request.approvers.some((one) => one === role)) ?? []
  const approver = approvers.find(({ id }) => id === chosen) ?? (approvers.length === 1 ? approvers[0] : undefined)
  return (
    <Dialog open onClose={endApproval} title={t('approval.title')} size="l">
      <div className={styles['form']}>
        <div className={styles['what']}>
          <p>{t(`approval.action.${asked.request.action}`)}</p>
          <p role="status">{asked.changed ? t('approval.changed') : ''}</p>
          <ApprovalFacts request={asked.request} />
          {staff.isError && <LoadFailed error={staff.error} retry={() => void staff.refetch()} />}
          {staff.isSuccess && approvers.length === 0 && <p role="alert">{t('approval.nobody')}</p>}
          {approvers.length > 1 && (
            <div className={styles['people']} role="group" aria-label={t('approval.who')}>
              {approvers.map(({ id, name }) => (
                <Button
                  key={id}
                  size="l"
                  aria-pressed={approver?.id === id}
                  look={approver?.id === id ? 'primary' : 'plain'}
                  onPress={() => setChosen(id)}
                >
                  {name}
                </Button>
              ))}
            </div>
          )}
        </div>
        {approver && (
          <PinPad
            key={`${approver.id} ${asked.request.covers}`}
            name={approver.name}
            icon={<BadgeCheck />}
            words={{ submit: t('approval.approve'), busy: t('signIn.signingIn') }}
            submit={(pin) => giveApproval(asked, { staffId: approver.id, pin })}
          />
        )}
      </div>
    </Dialog>
  )
}
