import { Tag } from 'lucide-react'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { accuracyLimitCents, compensationCents } from '../../../contracts/core/region-rules.ts'
import type { SaleLine } from '../../../contracts/sales/sales.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { AmountPad } from '../../core/ui/amount-pad.tsx'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { useTries } from '../../core/ui/focus.ts'
import { closeChange } from '../changes.ts'
import { correctPrice } from './change-commands.ts'

/** Dialog for a scanned price above the price on the shelf. `isCompensated`: the item was compensated on this sale. */
export function ShelfPriceDialog({
  line,
  isCompensated,
}: {
  readonly line: SaleLine
  readonly isCompensated: boolean
}) {
  const { t, format } = useI18n()
  const [typed, setTyped] = useState<number | null>(null)
  const [isExcluded, setExcluded] = useState(false)
  const { tried, attempt, form } = useTries()
  const limitCents = useLimitCents()
  const shelf = typed ?? 0
  const fits = shelf > 0 && shelf < line.unitPriceCents
  const given = isExcluded || isCompensated ? 0 : compensationCents(shelf, limitCents)
  const confirm = (): void => {
    attempt()
    if (!fits) return
    closeChange()
    void correctPrice(line.number, shelf, !isExcluded)
  }
  const rule = isCompensated ? t('accuracy.compensated') : t('accuracy.rule', { limit: format.money(limitCents) })
  return (
    <Dialog open onClose={closeChange} title={t('accuracy.title', { name: format.text(line.name) })}>
      <Form
        ref={form}
        className="stack-4"
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
      >
        <AmountPad
          label={t('accuracy.shelf')}
          typed={typed}
          onType={setTyped}
          wrong={(tried && !fits) || shelf >= line.unitPriceCents}
          hint={t('accuracy.scanned', { price: format.money(line.unitPriceCents) })}
          onEnter={confirm}
        />
        <div className="stack-2 halves" role="group" aria-label={t('accuracy.compensation')}>
          {[false, true].map((excluded) => (
            <Button
              key={String(excluded)}
              aria-pressed={isExcluded === excluded}
              look={isExcluded === excluded ? 'primary' : 'plain'}
              preventFocusOnPress
              onPress={() => setExcluded(excluded)}
            >
              {t(excluded ? 'accuracy.excluded' : 'accuracy.included')}
            </Button>
          ))}
        </div>
        <p className="note" role="status">
          {isExcluded ? t('accuracy.priceOnly') : rule}{' '}
          {fits && t('accuracy.result', { amount: format.money(shelf * line.quantity - given) })}
        </p>
        <div className="stack-3 foot">
          <Button size="l" onPress={closeChange}>
            {t('actions.back')}
          </Button>
          <Button size="l" look="primary" type="submit" icon={<Tag />}>
            {t('accuracy.correct')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** Greatest compensation of the store's region today. */
function useLimitCents(): number {
  const terminal = useTerminal((state) => state.terminal)
  const { format } = useI18n()
  const [today] = useState(() => format.localDate(new Date().toJSON()))
  return terminal === null ? 0 : accuracyLimitCents(terminal.region, today)
}
