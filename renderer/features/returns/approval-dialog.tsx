import { useQuery } from '@tanstack/react-query'
import { Delete, ShieldCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { problemSaying, type Saying } from '../../stores/notices.ts'
import { approve } from '../../stores/return-approval.ts'
import { useReturn } from '../../stores/returns.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Keypad } from '../../ui/keypad.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import styles from './returns.module.css'

const SHORTEST_PIN = 4
const LONGEST_PIN = 8

/** A manager's word for a return: a name and its PIN, sent with the return itself. Nobody is signed in by it. */
export function ApprovalDialog() {
  const { t } = useWords()
  const open = useReturn((state) => state.approving !== null)
  return (
    <Dialog open={open} onClose={() => useReturn.setState({ approving: null })} title={t('returns.approvalTitle')}>
      <Approving />
    </Dialog>
  )
}

function Approving() {
  const words = useWords()
  const { t } = words
  const staff = useQuery({ queryKey: ['staff'], queryFn: () => api.staff() })
  const managers = staff.data?.staff.filter(({ role }) => role === 'manager') ?? []
  const [chosen, setChosen] = useState<string | null>(null)
  const [pin, setPin] = useState('')
  const [checking, setChecking] = useState(false)
  const [wrong, setWrong] = useState<Saying | null>(null)
  const pad = useRef<HTMLDivElement>(null)
  useEffect(() => pad.current?.focus(), [])
  const who = managers.find(({ id }) => id === chosen) ?? managers[0]

  const add = (digit: string): void => { setWrong(null); setPin((known) => (known + digit).slice(0, LONGEST_PIN)) }
  const submit = async (): Promise<void> => {
    if (!who || pin.length < SHORTEST_PIN || checking) return
    setChecking(true)
    try {
      await approve({ staffId: who.id, pin })
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      setWrong(() => problemSaying(error))
      pad.current?.focus()
    } finally {
      setPin('')
      setChecking(false)
    }
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the pad takes typed digits while it has the focus; each has its button too
    <div
      ref={pad}
      role="group"
      tabIndex={-1}
      aria-label={t('signIn.pinPad')}
      className={styles['approval']}
      onKeyDown={(event) => {
        if (/^\d$/.test(event.key)) add(event.key)
        else if (event.key === 'Backspace') setPin((known) => known.slice(0, -1))
        else if (event.key === 'Enter' && event.target === pad.current) void submit()
      }}
    >
      <p>{t('returns.approval')}</p>
      {staff.isError && <LoadFailed error={staff.error} retry={() => void staff.refetch()} />}
      <div className={styles['managers']} role="group" aria-label={t('returns.managers')}>
        {managers.map(({ id, name }) => <Button key={id} aria-pressed={who?.id === id} look={who?.id === id ? 'primary' : 'plain'} onPress={() => { setChosen(id); setPin(''); pad.current?.focus() }}>{name}</Button>)}
      </div>
      <p role="status" className={styles['dots']} aria-label={t('signIn.pinDigits', { count: pin.length })}>{'●'.repeat(pin.length)}</p>
      <p role="alert" className={styles['wrong']}>{wrong?.(words)}</p>
      <Keypad label={t('signIn.pinPad')} onDigit={add} last={<Button size="l" look="quiet" aria-label={t('signIn.eraseDigit')} preventFocusOnPress icon={<Delete />} onPress={() => setPin((known) => known.slice(0, -1))} />} />
      <Button look="primary" size="l" wide icon={<ShieldCheck />} isDisabled={!who || pin.length < SHORTEST_PIN || checking} onPress={() => void submit()}>{t('returns.approve')}</Button>
    </div>
  )
}
