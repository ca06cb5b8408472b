import { useQuery } from '@tanstack/react-query'
import { BadgeCheck } from 'lucide-react'
import { useState } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useChanges, type AskedApproval } from '../../stores/changes.ts'
import { report } from '../../stores/notices.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PinPad } from '../../ui/pin-pad.tsx'
import styles from './changes.module.css'

/** What the pad says itself; anything else is about the change, and is told on the sale. */
const OF_THE_PIN = ['pin-wrong', 'pin-locked', 'pin-not-set', 'approver-not-allowed']
const close = (): void => useChanges.setState({ approval: null })

/** A supervisor or a manager approves what the cashier is doing, who stays signed in. The PIN goes with the command and nowhere else. */
export function ApprovalDialog({ asked }: { readonly asked: AskedApproval }) {
  const { t } = useWords()
  const staff = useQuery({ queryKey: ['staff'], queryFn: api.staff })
  const [chosen, setChosen] = useState<string | null>(null)
  const approvers = staff.data?.staff.filter(({ role }) => role !== 'cashier') ?? []
  const approver = approvers.find(({ id }) => id === chosen) ?? (approvers.length === 1 ? approvers[0] : undefined)

  async function approve(staffId: string, pin: string): Promise<void> {
    try {
      await asked.attempt({ staffId, pin })
    } catch (error) {
      if (error instanceof ApiProblem && OF_THE_PIN.includes(error.code)) throw error
      report(error)
    }
    close()
  }
  return (
    <Dialog open onClose={close} title={t('approval.title')}>
      <div className={styles['form']}>
        <p>{t(`approval.action.${asked.action}`)}</p>
        {staff.isSuccess && approvers.length === 0 && <p role="alert">{t('approval.nobody')}</p>}
        {approvers.length > 1 && (
          <div className={styles['buttons']} role="group" aria-label={t('approval.who')}>
            {approvers.map(({ id, name }) => <Button key={id} size="l" aria-pressed={approver?.id === id} look={approver?.id === id ? 'primary' : 'plain'} onPress={() => setChosen(id)}>{name}</Button>)}
          </div>
        )}
        {approver && <PinPad key={approver.id} name={approver.name} icon={<BadgeCheck />} words={{ submit: t('approval.approve'), busy: t('signIn.signingIn') }} submit={(pin) => approve(approver.id, pin)} />}
      </div>
    </Dialog>
  )
}
