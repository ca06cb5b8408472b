import { BadgePercent } from 'lucide-react'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import type { DiscountReason } from '../../../contracts/api/sale-changes.ts'
import { useWords } from '../../i18n/words.tsx'
import { giveDiscount, type GivenOff } from '../../state/change-commands.ts'
import { closeChange } from '../../state/changes.ts'
import { AmountPad } from '../../ui/amount-pad.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useTries } from '../../ui/use-tries.ts'
import { Choice } from './choice.tsx'
import styles from './changes.module.css'
import { REASONS } from './reasons.ts'

/** A percentage is typed in hundredths of a percent. */
const PPM_PER_HUNDREDTH = 100
const WHOLE = 100_00

/**
 * A discount by hand: how much, and why. `of`: the line's name, null for the sale; `mostCents`: what there is to take
 * it off.
 */
export function DiscountDialog({
  line,
  of,
  mostCents,
}: {
  readonly line: number | null
  readonly of: string | null
  readonly mostCents: number
}) {
  const { t, format } = useWords()
  const [kind, setKind] = useState<GivenOff['kind']>('percent')
  const [typed, setTyped] = useState<number | null>(null)
  const [reason, setReason] = useState<DiscountReason | null>(null)
  const { tried, attempt, form } = useTries()
  const amount = typed ?? 0
  const most = kind === 'percent' ? WHOLE : mostCents
  const fits = amount > 0 && amount <= most
  const confirm = (): void => {
    attempt()
    if (!fits || reason === null) return
    closeChange()
    void giveDiscount(
      line,
      kind === 'percent' ? { kind, ppm: amount * PPM_PER_HUNDREDTH } : { kind, cents: amount },
      reason,
    )
  }
  const choose = (next: GivenOff['kind']): void => {
    setKind(next)
    setTyped(null)
  }
  const write = (off: number): string =>
    kind === 'percent' ? format.percent(off * PPM_PER_HUNDREDTH) : format.money(off)
  return (
    <Dialog
      open
      onClose={closeChange}
      title={of === null ? t('discount.titleSale') : t('discount.titleLine', { name: of })}
      size="l"
    >
      <Form
        ref={form}
        className={styles['form'] ?? ''}
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
      >
        <div className={styles['split']}>
          <div className={styles['group']}>
            <div className={styles['kinds']} role="group" aria-label={t('discount.kind')}>
              <Button
                aria-pressed={kind === 'percent'}
                look={kind === 'percent' ? 'primary' : 'plain'}
                preventFocusOnPress
                onPress={() => choose('percent')}
              >
                {t('discount.percent')}
              </Button>
              <Button
                aria-pressed={kind === 'amount'}
                look={kind === 'amount' ? 'primary' : 'plain'}
                preventFocusOnPress
                onPress={() => choose('amount')}
              >
                {t('discount.amount')}
              </Button>
            </div>
            <AmountPad
              label={t('discount.off')}
              typed={typed}
              onType={setTyped}
              entry={kind === 'percent' ? 'whole' : 'register'}
              write={write}
              wrong={amount > most || (tried && amount === 0)}
              hint={
                kind === 'percent'
                  ? t('discount.percentRange')
                  : t('discount.amountRange', { most: format.money(mostCents) })
              }
              onEnter={confirm}
            />
          </div>
          <Choice
            lettered
            label={t('discount.why')}
            options={REASONS}
            words={(one) => t(`discount.reason.${one}`)}
            value={reason}
            onChange={setReason}
            missing={tried && reason === null ? t('discount.whyMissing') : null}
          />
        </div>
        <div className={styles['foot']}>
          <Button size="l" onPress={closeChange}>
            {t('actions.back')}
          </Button>
          <Button size="l" look="primary" type="submit" icon={<BadgePercent />}>
            {t('discount.give', { off: write(amount) })}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
