import { Ban, CircleCheck, UserCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Form } from 'react-aria-components'
import type { Sale } from '../../contracts/sales/sales.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { useApproval } from './approvals.ts'
import { Button } from '../core/ui/button.tsx'
import { DateField } from '../core/ui/date-field.tsx'
import { isDay } from '../core/ui/date-text.ts'
import { Dialog } from '../core/ui/dialog.tsx'
import { Key } from '../core/ui/key.tsx'
import type { AgeAnswer } from '../../contracts/sales/approvals.ts'
import { api } from '../core/api/terminal-api.ts'
import { notify } from '../core/state/notices.ts'
import { onCurrent } from './sale-commands.ts'
import { itemCount, putOffAgeCheck, questionOf, showAgeCheck, useAgeCheck, useSale } from './sale.ts'

const OVER_KEY = 'O'

type Asked = NonNullable<Sale['ageCheck']>

export function AgeCheckDialog({ sale }: { readonly sale: Sale | null }) {
  const { t } = useI18n()
  const { putOff } = useAgeCheck()
  const approving = useApproval(({ asked }) => asked !== null)
  const asked = sale?.ageCheck
  if (!sale || !asked || approving || putOff === questionOf(sale)) return null
  return (
    <Dialog open onClose={() => putOffAgeCheck(sale)} title={t('age.title', { age: asked.minimumAge })}>
      <AgeCheck key={asked.minimumAge} asked={asked} />
    </Dialog>
  )
}

function AgeCheck({ asked: { minimumAge, bornBy, items, clearlyOver } }: { readonly asked: Asked }) {
  const { t, format } = useI18n()
  const [date, setDate] = useState('')
  const [tried, setTried] = useState(false)
  useEffect(() => {
    if (!clearlyOver) return undefined
    // This key works with any focus, because dates contain no letters.
    const answer = (event: KeyboardEvent): void => {
      const { key, ctrlKey, altKey, metaKey } = event
      if (key.toUpperCase() !== OVER_KEY || ctrlKey || altKey || metaKey) return
      event.preventDefault()
      void answerAgeCheck(minimumAge, { kind: 'clearly-over' })
    }
    addEventListener('keydown', answer, { capture: true })
    return () => removeEventListener('keydown', answer, { capture: true })
  }, [clearlyOver, minimumAge])
  const check = (): void => {
    setTried(true)
    if (isDay(date)) void answerAgeCheck(minimumAge, { kind: 'date-of-birth', date })
  }
  return (
    <Form
      className="stack-4"
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        check()
      }}
    >
      <p>
        <strong>{t('age.bornBy', { date: format.date(bornBy) })}</strong>{' '}
        {items.map((name) => format.text(name)).join(', ')}
      </p>
      <DateField
        autoFocus
        label={t('age.birthDate')}
        value={date}
        onChange={(typed) => {
          setDate(typed)
          setTried(false)
        }}
        tried={tried}
      />
      {clearlyOver && (
        <Button size="l" icon={<UserCheck />} onPress={() => void answerAgeCheck(minimumAge, { kind: 'clearly-over' })}>
          {t('age.clearlyOver', { age: minimumAge })} <Key name={OVER_KEY} />
        </Button>
      )}
      <div className="stack-3 foot">
        <Button
          size="l"
          look="danger"
          icon={<Ban />}
          onPress={() => void answerAgeCheck(minimumAge, { kind: 'refused' })}
        >
          {t('age.refuse')}
        </Button>
        <Button size="l" look="primary" type="submit" icon={<CircleCheck />}>
          {t('age.confirm')}
        </Button>
      </div>
    </Form>
  )
}

/** Sends the answer to the age check. If the customer is too young, the items are removed, with a notice. */
export async function answerAgeCheck(minimumAge: number, answer: AgeAnswer): Promise<void> {
  const countNow = (): number => {
    const { current } = useSale.getState()
    return current ? itemCount(current) : 0
  }
  const before = countNow()
  if (!(await onCurrent('age-check', (sale) => api.answerAgeCheck(sale.id, minimumAge, answer)))) return
  showAgeCheck()
  const count = before - countNow()
  if (count > 0) notify('warning', ({ t }) => t('age.removed', { count }))
}
