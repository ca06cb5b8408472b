import {
  BadgePercent,
  ReceiptText,
  Recycle,
  UsersRound,
  StickyNote,
  Tag,
  Tags,
  TicketPercent,
  Trash2,
} from 'lucide-react'
import type { Sale, SaleLine } from '../../../contracts/sales/sales.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { removeDiscount } from './change-commands.ts'
import { closeChange } from '../changes.ts'
import { ActionButton, IconButton } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import styles from './changes.module.css'
import { useEffect } from 'react'
import { FieldError, Label, Radio, RadioGroup } from 'react-aria-components'
import { Key } from '../../core/ui/key.tsx'
import type { BuyerGroup, DiscountReason, Exemption } from '../../../contracts/sales/sale-changes.ts'

export function ChangesMenu({ sale, line }: { readonly sale: Sale; readonly line: SaleLine | undefined }) {
  const { t, format } = useI18n()
  const nameOf = useDiscountName()
  const takenOff = useTakenOff()
  const removable = sale.discounts.filter(({ promotion }) => promotion === null)
  return (
    <Dialog open onClose={closeChange} title={t('changes.title')} size="l">
      <div className="stack-4">
        {line && (
          <section className="stack-2" aria-label={t('changes.line', { name: format.text(line.name) })}>
            <h3 className="note anywhere">{t('changes.line', { name: format.text(line.name) })}</h3>
            <div className={`stack-2 ${styles['buttons']}`}>
              <ActionButton id="discount-line" size="l" icon={<BadgePercent />} />
              <ActionButton id="price" size="l" icon={<Tag />} />
              <ActionButton id="price-accuracy" size="l" icon={<Tags />} />
              <ActionButton id="note-line" size="l" icon={<StickyNote />} />
            </div>
          </section>
        )}
        <section className="stack-2" aria-label={t('changes.sale')}>
          <h3 className="note anywhere">{t('changes.sale')}</h3>
          <div className={`stack-2 ${styles['buttons']}`}>
            <ActionButton id="discount-sale" size="l" icon={<BadgePercent />} />
            <ActionButton id="coupon" size="l" icon={<TicketPercent />} />
            <ActionButton id="exemption" size="l" icon={<ReceiptText />} />
            <ActionButton id="buyers" size="l" icon={<UsersRound />} />
            <ActionButton id="note-sale" size="l" icon={<StickyNote />} />
            <ActionButton id="empties" size="l" icon={<Recycle />} />
          </div>
        </section>
        {removable.length > 0 && (
          <section className="stack-2" aria-label={t('changes.standing')}>
            <h3 className="note anywhere">{t('changes.standing')}</h3>
            <ul className={`stack-2 ${styles['current']} figures`}>
              {removable.map((discount) => (
                <li className="stack-3 middle box" key={discount.number}>
                  <span className="prose">{nameOf(discount, sale)}</span>
                  <strong>{takenOff(discount)}</strong>
                  <IconButton
                    label={t('changes.remove', { name: nameOf(discount, sale) })}
                    icon={<Trash2 />}
                    onPress={() => {
                      closeChange()
                      void removeDiscount(discount.number)
                    }}
                  />
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </Dialog>
  )
}

const LETTERS = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'] as const

const isTypedInto = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== 'radio')

/**
 * Radio buttons for a short, fully visible list. `lettered`: each option has a letter that selects it, unless a text
 * field has the focus.
 */
export function Choice<Value extends string>({
  label,
  options,
  texts,
  value,
  onChange,
  missing,
  lettered = false,
  autoFocus = false,
}: {
  readonly label: string
  readonly options: readonly Value[]
  readonly texts: (option: Value) => string
  readonly value: Value | null
  readonly onChange: (value: Value) => void
  readonly missing: string | null
  readonly lettered?: boolean
  readonly autoFocus?: boolean
}) {
  useEffect(() => {
    if (!lettered) return undefined
    const choose = ({ key, target, ctrlKey, altKey, metaKey }: KeyboardEvent): void => {
      if (ctrlKey || altKey || metaKey || isTypedInto(target)) return
      const option = options[LETTERS.findIndex((letter) => letter === key.toUpperCase())]
      if (option !== undefined) onChange(option)
    }
    addEventListener('keydown', choose, { capture: true })
    return () => removeEventListener('keydown', choose, { capture: true })
  }, [lettered, options, onChange])
  return (
    <RadioGroup
      value={value}
      onChange={(chosen) => {
        const option = options.find((one) => one === chosen)
        if (option) onChange(option)
      }}
      isInvalid={missing !== null}
      className="stack-2 radios"
    >
      <Label>{label}</Label>
      {options.map((option, index) => {
        const letter = lettered ? LETTERS[index] : undefined
        return (
          <Radio key={option} value={option} className="radio" autoFocus={autoFocus && index === 0}>
            {texts(option)}
            {letter && <Key name={letter} />}
          </Radio>
        )
      })}
      <FieldError>{missing}</FieldError>
    </RadioGroup>
  )
}

export function useTakenOff(): (discount: Sale['discounts'][number]) => string {
  const { t, format } = useI18n()
  return ({ off, amountCents }) => (off === null ? t('coupon.forMiles') : format.money(0 - amountCents))
}

export function useDiscountName(): (discount: Sale['discounts'][number], sale?: Pick<Sale, 'lines'>) => string {
  const { t, format } = useI18n()
  return ({ off, coupon, promotion, reason, reach }, sale) => {
    if (promotion) return format.text(promotion.name)
    const why = reason === null ? '' : t(`discount.reason.${reason}`)
    const name = coupon
      ? t('coupon.named', { name: format.text(coupon.name) })
      : off?.kind === 'percent'
        ? t('discount.namedPercent', { percent: format.percent(off.ppm), reason: why })
        : t('discount.namedAmount', { reason: why })
    const line = reach.kind === 'line' ? sale?.lines.find(({ number }) => number === reach.number) : undefined
    return line ? t('discount.namedOn', { discount: name, line: format.text(line.name) }) : name
  }
}

/** Reasons for a discount, the most used first. */
export const REASONS = [
  'promotion',
  'damaged',
  'price-match',
  'price-error',
  'goodwill',
  'staff',
] as const satisfies readonly DiscountReason[]
export const EXEMPTION_REASONS = [
  'first-nations',
  'diplomat',
  'government',
  'resale',
  'charity',
] as const satisfies readonly Exemption['reason'][]
export const BUYERS = ['staff', 'seniors'] as const satisfies readonly BuyerGroup[]
export const RELIEFS = ['provincial', 'all'] as const satisfies readonly Exemption['relief'][]
