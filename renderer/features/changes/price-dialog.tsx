import { Tag, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import type { Item } from '../../../contracts/api/catalog.ts'
import type { DiscountReason } from '../../../contracts/api/sale-changes.ts'
import type { SaleLine } from '../../../contracts/api/sales.ts'
import { useWords } from '../../i18n/words.tsx'
import { changePrice } from '../../state/change-commands.ts'
import { closeChange, priceAnswered } from '../../state/changes.ts'
import { ring } from '../../state/sale-commands.ts'
import { AmountPad } from '../../ui/amount-pad.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useTries } from '../../ui/use-tries.ts'
import { Choice } from './choice.tsx'
import styles from './changes.module.css'
import { REASONS } from './reasons.ts'

/** Another price for each piece of a line, and why; or the catalog's price again. */
export function PriceDialog({ line }: { readonly line: SaleLine }) {
  const { t, format } = useWords()
  const [typed, setTyped] = useState<number | null>(null)
  const [reason, setReason] = useState<DiscountReason | null>(null)
  const { tried, attempt, form } = useTries()
  const { number, regularPriceCents } = line
  const missing = tried && typed === null
  const confirm = (): void => {
    attempt()
    if (typed === null || reason === null) return
    closeChange()
    void changePrice(number, typed, reason)
  }
  return (
    <Dialog open onClose={closeChange} title={t('price.title', { name: format.text(line.name) })} size="l">
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
          <AmountPad
            label={t('price.each')}
            typed={typed}
            onType={setTyped}
            proposed={line.unitPriceCents}
            wrong={missing}
            hint={
              missing
                ? t('price.askTitle', { name: format.text(line.name) })
                : t('price.now', { price: format.money(line.unitPriceCents) })
            }
            onEnter={confirm}
          />
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
        {regularPriceCents !== null && (
          <Button
            icon={<Undo2 />}
            onPress={() => {
              closeChange()
              void changePrice(number, null, 'price-error')
            }}
          >
            {t('price.regular', { price: format.money(regularPriceCents) })}
          </Button>
        )}
        <div className={styles['foot']}>
          <Button size="l" onPress={closeChange}>
            {t('actions.back')}
          </Button>
          <Button size="l" look="primary" type="submit" icon={<Tag />}>
            {t('price.set', { price: format.money(typed ?? line.unitPriceCents) })}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** An item whose price the catalog leaves open was rung: its price, within its bounds. */
export function AskPriceDialog({ item }: { readonly item: Item }) {
  const { t, format } = useWords()
  const [typed, setTyped] = useState<number | null>(null)
  const [tried, setTried] = useState(false)
  const { leastCents, mostCents } = item.openPrice ?? { leastCents: 0, mostCents: 0 }
  const price = typed ?? item.priceCents
  const fits = price >= leastCents && price <= mostCents
  const confirm = (): void => {
    setTried(true)
    if (!fits) return
    priceAnswered()
    void ring(item, price)
  }
  return (
    <Dialog open onClose={priceAnswered} title={t('price.askTitle', { name: format.text(item.name) })}>
      <div className={styles['form']}>
        <AmountPad
          label={t('price.each')}
          typed={typed}
          onType={setTyped}
          proposed={item.priceCents}
          wrong={price > mostCents || (tried && !fits)}
          hint={t('price.bounds', { least: format.money(leastCents), most: format.money(mostCents) })}
          onEnter={confirm}
        />
        <div className={styles['foot']}>
          <Button size="l" onPress={priceAnswered}>
            {t('price.leave')}
          </Button>
          <Button size="l" look="primary" icon={<Tag />} onPress={confirm}>
            {t('price.ring', { price: format.money(price) })}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
