import { BadgePercent } from 'lucide-react'
import { useState } from 'react'
import type { DiscountReason } from '../../../contracts/api/sale-changes.ts'
import { useWords } from '../../i18n/words.tsx'
import { giveDiscount, type GivenOff } from '../../stores/change-commands.ts'
import { closeChange } from '../../stores/changes.ts'
import { AmountPad } from '../../ui/amount-pad.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { eraseDigit, typeDigits } from '../tender/cash-rules.ts'
import { Choice } from './choice.tsx'
import styles from './changes.module.css'
import { REASONS } from './reasons.ts'

const PPM_PER_PERCENT = 10_000
const WHOLE = 100

/** A discount by hand: how much, and why. `of`: the line's name, null for the sale; `mostCents`: what there is to take it off. */
export function DiscountDialog({ line, of, mostCents }: { readonly line: number | null; readonly of: string | null; readonly mostCents: number }) {
  const { t, format } = useWords()
  const [kind, setKind] = useState<GivenOff['kind']>('percent')
  const [typed, setTyped] = useState(0)
  const [reason, setReason] = useState<DiscountReason | null>(null)
  const [tried, setTried] = useState(false)
  const most = kind === 'percent' ? WHOLE : mostCents
  const fits = typed > 0 && typed <= most
  const confirm = (): void => {
    setTried(true)
    if (!fits || reason === null) return
    closeChange()
    void giveDiscount(line, kind === 'percent' ? { kind, ppm: typed * PPM_PER_PERCENT } : { kind, cents: typed }, reason)
  }
  const choose = (next: GivenOff['kind']): void => {
    setKind(next)
    setTyped(0)
  }
  const shown = kind === 'percent' ? format.percent(typed * PPM_PER_PERCENT) : format.money(typed)
  return (
    <Dialog open onClose={closeChange} title={of === null ? t('discount.titleSale') : t('discount.titleLine', { name: of })} size="l">
      <div className={styles['form']}>
        <div className={styles['split']}>
          <div className={styles['group']}>
            <div className={styles['kinds']} role="group" aria-label={t('discount.kind')}>
              <Button aria-pressed={kind === 'percent'} look={kind === 'percent' ? 'primary' : 'plain'} preventFocusOnPress onPress={() => choose('percent')}>{t('discount.percent')}</Button>
              <Button aria-pressed={kind === 'amount'} look={kind === 'amount' ? 'primary' : 'plain'} preventFocusOnPress onPress={() => choose('amount')}>{t('discount.amount')}</Button>
            </div>
            <AmountPad
              label={t('discount.off')}
              shown={shown}
              wrong={typed > most || (tried && typed === 0)}
              hint={kind === 'percent' ? t('discount.percentRange') : t('discount.amountRange', { most: format.money(mostCents) })}
              onDigits={(digits) => setTyped((known) => typeDigits(known, digits))}
              onErase={() => setTyped(eraseDigit)}
              onEnter={confirm}
            />
          </div>
          <Choice label={t('discount.why')} options={REASONS} words={(one) => t(`discount.reason.${one}`)} value={reason} onChange={setReason} missing={tried && reason === null ? t('discount.whyMissing') : null} />
        </div>
        <div className={styles['foot']}>
          <Button size="l" onPress={closeChange}>{t('actions.back')}</Button>
          <Button size="l" look="primary" icon={<BadgePercent />} onPress={confirm}>{t('discount.give', { off: shown })}</Button>
        </div>
      </div>
    </Dialog>
  )
}
