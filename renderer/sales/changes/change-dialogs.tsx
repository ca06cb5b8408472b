import type { Sale, SaleLine } from '../../../contracts/sales/sales.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { amountOfLine, useSale } from '../sale.ts'
import { useApproval } from '../approvals.ts'
import { type ChangeDialog, closeChange, priceAnswered, useChanges } from '../changes.ts'
import { ChangesMenu, Choice, REASONS } from './changes-menu.tsx'
import { BuyersDialog, CouponDialog, ExemptionDialog, NoteDialog } from './text-dialogs.tsx'
import { BadgePercent, Tag, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import type { DiscountReason } from '../../../contracts/sales/sale-changes.ts'
import { type DiscountInput, changePrice, giveDiscount } from './change-commands.ts'
import { AmountPad } from '../../core/ui/amount-pad.tsx'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { useTries } from '../../core/ui/focus.ts'
import styles from './changes.module.css'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import { ring } from '../sale-commands.ts'
import { ShelfPriceDialog } from './shelf-price-dialog.tsx'

export function ChangeDialogs() {
  const { dialog, unpriced } = useChanges()
  const approving = useApproval(({ asked }) => asked !== null)
  const sale = useSale((state) => state.current)
  const [item] = unpriced
  if (approving) return null
  if (dialog && sale) return <Opened key={dialog.kind} dialog={dialog} sale={sale} />
  return item ? <OpenPriceDialog key={`${item.sku} ${unpriced.length}`} item={item} /> : null
}

function Opened({ dialog, sale }: { readonly dialog: ChangeDialog; readonly sale: Sale }) {
  const { format } = useI18n()
  const selected = useSale((state) => state.selectedLine)
  const open = (number: number | null) => sale.lines.find((line) => line.number === number && !line.voided)
  switch (dialog.kind) {
    case 'menu':
      return <ChangesMenu sale={sale} line={open(selected)} />
    case 'coupon':
      return <CouponDialog />
    case 'exemption':
      return <ExemptionDialog ofSale={sale.exemption} {...lineProp(open(selected))} />
    case 'buyers':
      return <BuyersDialog known={sale.buyers} />
    case 'price': {
      const line = open(dialog.line)
      return line ? <PriceDialog line={line} /> : null
    }
    case 'shelf-price': {
      const line = open(dialog.line)
      return line ? <ShelfPriceDialog line={line} isCompensated={isCompensated(sale, line)} /> : null
    }
    case 'discount': {
      const line = open(dialog.line)
      if (dialog.line !== null && !line) return null
      return (
        <DiscountDialog
          line={dialog.line}
          of={line ? format.text(line.name) : null}
          maxCents={line ? amountOfLine(sale, line) : sale.totals.subtotalCents}
        />
      )
    }
    case 'note': {
      const line = open(dialog.line)
      if (dialog.line !== null && !line) return null
      return (
        <NoteDialog line={dialog.line} of={line ? format.text(line.name) : null} note={line ? line.note : sale.note} />
      )
    }
  }
}

/** Whether another line of the item has the discount of a price error. */
const isCompensated = ({ lines, discounts }: Sale, { sku, number }: SaleLine): boolean =>
  lines.some(
    (line) =>
      line.sku === sku &&
      line.number !== number &&
      !line.voided &&
      line.regularPriceCents !== null &&
      discounts.some(
        ({ reach, reason }) => reach.kind === 'line' && reach.number === line.number && reason === 'price-error',
      ),
  )

const lineProp = (line: SaleLine | undefined) => (line ? { line } : {})

/** Parts per million in a hundredth of a percent, the unit in which a percentage is typed. */
const PPM_PER_HUNDREDTH = 100
const WHOLE = 100_00

/**
 * Dialog for a manual discount: amount and reason. `of`: the line's name, null for the sale; `maxCents`: the maximum in
 * cents.
 */
export function DiscountDialog({
  line,
  of,
  maxCents,
}: {
  readonly line: number | null
  readonly of: string | null
  readonly maxCents: number
}) {
  const { t, format } = useI18n()
  const [kind, setKind] = useState<DiscountInput['kind']>('percent')
  const [typed, setTyped] = useState<number | null>(null)
  const [reason, setReason] = useState<DiscountReason | null>(null)
  const { tried, attempt, form } = useTries()
  const amount = typed ?? 0
  const max = kind === 'percent' ? WHOLE : maxCents
  const fits = amount > 0 && amount <= max
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
  const choose = (next: DiscountInput['kind']): void => {
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
        className="stack-4"
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
      >
        <div className={`grid gap-5 start ${styles['split']}`}>
          <div className="stack-2">
            <div className="stack-2 halves" role="group" aria-label={t('discount.kind')}>
              {(['percent', 'amount'] as const).map((one) => (
                <Button
                  key={one}
                  aria-pressed={kind === one}
                  look={kind === one ? 'primary' : 'plain'}
                  preventFocusOnPress
                  onPress={() => choose(one)}
                >
                  {t(`discount.${one}`)}
                </Button>
              ))}
            </div>
            <AmountPad
              label={t('discount.off')}
              typed={typed}
              onType={setTyped}
              entry={kind === 'percent' ? 'whole' : 'register'}
              write={write}
              wrong={amount > max || (tried && amount === 0)}
              hint={
                kind === 'percent'
                  ? t('discount.percentRange')
                  : t('discount.amountRange', { most: format.money(maxCents) })
              }
              onEnter={confirm}
            />
          </div>
          <Choice
            lettered
            label={t('discount.why')}
            options={REASONS}
            texts={(one) => t(`discount.reason.${one}`)}
            value={reason}
            onChange={setReason}
            missing={tried && reason === null ? t('discount.whyMissing') : null}
          />
        </div>
        <div className="stack-3 foot">
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

export function PriceDialog({ line }: { readonly line: SaleLine }) {
  const { t, format } = useI18n()
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
        className="stack-4"
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
      >
        <div className={`grid gap-5 start ${styles['split']}`}>
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
            texts={(one) => t(`discount.reason.${one}`)}
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
        <div className="stack-3 foot">
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

/** Dialog that asks for the price of an open-price item, within the catalog's bounds. */
export function OpenPriceDialog({ item }: { readonly item: Item }) {
  const { t, format } = useI18n()
  const [typed, setTyped] = useState<number | null>(null)
  const [tried, setTried] = useState(false)
  const { leastCents: minCents, mostCents: maxCents } = item.openPrice ?? { leastCents: 0, mostCents: 0 }
  const price = typed ?? item.priceCents
  const fits = price >= minCents && price <= maxCents
  const confirm = (): void => {
    setTried(true)
    if (!fits) return
    priceAnswered()
    void ring(item, { priceCents: price })
  }
  return (
    <Dialog open onClose={priceAnswered} title={t('price.askTitle', { name: format.text(item.name) })}>
      <div className="stack-4">
        <AmountPad
          label={t('price.each')}
          typed={typed}
          onType={setTyped}
          proposed={item.priceCents}
          wrong={price > maxCents || (tried && !fits)}
          hint={t('price.bounds', { least: format.money(minCents), most: format.money(maxCents) })}
          onEnter={confirm}
        />
        <div className="stack-3 foot">
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
