import styles from './sign-in.module.css'
import { useI18n } from '../core/i18n/i18n.ts'
import { useShell } from '../core/state/window.ts'
import { Dialog } from '../core/ui/dialog.tsx'
import { useTerminal, type StaffMember } from '../core/state/terminal.ts'
import { useQuery } from '@tanstack/react-query'
import { api } from '../core/api/terminal-api.ts'
import { useState } from 'react'
import { notify, problemText } from '../core/state/notices.ts'
import { ApiProblem } from '../core/api/problem.ts'
import { PeopleTiles, SignInPad } from './sign-in.tsx'

export function SwitchCashier() {
  const { t } = useI18n()
  const open = useShell((state) => state.switchingCashier)
  const close = (): void => useShell.setState({ switchingCashier: false })
  return (
    <Dialog open={open} onClose={close} title={t('switchCashier.title')} size="l">
      <Choice onDone={close} />
    </Dialog>
  )
}

export function Choice({ onDone }: { readonly onDone: () => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const signedIn = useTerminal((state) => state.terminal?.signedIn?.id)
  const staff = useQuery({ queryKey: ['staff'], queryFn: api.staff })
  const [chosen, setChosen] = useState<StaffMember | null>(null)
  const [taps, setTaps] = useState(0)
  const done = (): void => {
    const name = chosen?.name ?? ''
    notify('success', (i18n) => i18n.t('switchCashier.done', { name }), { topic: 'switch-cashier' })
    onDone()
  }
  return (
    <>
      <p>{t('switchCashier.text')}</p>
      {staff.isError && (
        <p role="alert">{staff.error instanceof ApiProblem ? problemText(staff.error)(i18n) : t('app.failed')}</p>
      )}
      <div className={`grid gap-5 start ${styles['switch']}`}>
        <PeopleTiles
          people={(staff.data?.staff ?? []).filter(({ id }) => id !== signedIn)}
          chosen={chosen}
          autoFocus
          onChoose={(person) => {
            setChosen(person)
            setTaps(taps + 1)
          }}
        />
        {chosen ? (
          <SignInPad key={`${chosen.id} ${taps}`} person={chosen} onSignedIn={done} />
        ) : (
          <p className={`text-l dim center ${styles['choose']}`}>{t('signIn.chooseSomeone')}</p>
        )}
      </div>
    </>
  )
}
