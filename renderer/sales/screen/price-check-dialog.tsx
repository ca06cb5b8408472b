import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { FieldError, Form, Input, Label, TextField } from 'react-aria-components'
import type { PriceCheck } from '../../../contracts/catalog/catalog.ts'
import type { ItemOffers } from '../../../contracts/loyalty/basket-offers.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { report } from '../../core/state/notices.ts'
import { useInputCapture } from '../../core/state/window.ts'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { useTries } from '../../core/ui/focus.ts'
import { checkPrice, closePriceCheck, usePriceCheck } from '../price-check.ts'

/** Shows prices without ringing items, until it is closed. */
export function PriceCheckDialog() {
  const open = usePriceCheck((state) => state.open)
  return open ? <Opened /> : null
}

function Opened() {
  const { t } = useI18n()
  const asked = usePriceCheck((state) => state.asked)
  const [text, setText] = useState('')
  const { tried, attempt, form } = useTries()
  useInputCapture('prices')
  const missing = text.trim() === ''
  return (
    <Dialog open onClose={closePriceCheck} title={t('priceCheck.title')}>
      <Form
        ref={form}
        className="stack-4"
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          attempt()
          if (missing) return
          setText('')
          checkPrice(text.trim()).catch(report)
        }}
      >
        <div role="status" className="stack-2 single">
          {asked === null ? (
            <p className="prose">{t('priceCheck.hint')}</p>
          ) : asked.check === null ? (
            <p className="prose">{t('priceCheck.unknown', { code: asked.code })}</p>
          ) : (
            <Checked check={asked.check} />
          )}
        </div>
        <TextField
          autoFocus
          value={text}
          onChange={setText}
          isInvalid={tried && missing && asked === null}
          className="stack-1 field ringed"
        >
          <Label>{t('priceCheck.code')}</Label>
          <Input maxLength={80} autoComplete="off" spellCheck="false" />
          <FieldError>{t('priceCheck.missing')}</FieldError>
        </TextField>
        <div className="stack-3 foot">
          <Button size="l" onPress={closePriceCheck}>
            {t('actions.back')}
          </Button>
          <Button size="l" look="primary" type="submit" icon={<Search />}>
            {t('priceCheck.check')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

function Checked({ check }: { readonly check: PriceCheck }) {
  const { t, format } = useI18n()
  const { item, pack, priceCents, reductions, further, afterCents, isByWeight, unit, charges } = check
  const amount = (cents: number): string =>
    isByWeight ? t(`weighing.per.${unit ?? 'kg'}`, { price: format.money(cents) }) : format.money(cents)
  return (
    <>
      <h3 className="text-l weight-650 prose">{format.text(item.name)}</h3>
      {pack && <p className="note">{t('priceCheck.pack', { count: pack.quantity })}</p>}
      {afterCents === null || priceCents === null ? (
        <p>{t('sale.openPrice')}</p>
      ) : (
        <p className="text-xl weight-700 figures">{amount(afterCents)}</p>
      )}
      {reductions.length > 0 && priceCents !== null && (
        <ul className="stack-1">
          <li className="note figures">{t('priceCheck.before', { price: format.money(priceCents) })}</li>
          {reductions.map(({ id, name, amountCents }) => (
            <li className="note figures" key={id}>
              {format.text(name)} <strong>{format.money(0 - amountCents)}</strong>
            </li>
          ))}
        </ul>
      )}
      {further.length > 0 && (
        <ul className="stack-1">
          {further.map(({ id, name }) => (
            <li className="note" key={id}>
              {t('priceCheck.further', { name: format.text(name) })}
            </li>
          ))}
        </ul>
      )}
      {charges.length > 0 && (
        <ul className="stack-1">
          {charges.map(({ id, name, cents }) => (
            <li className="note figures" key={id}>
              {format.text(name)} <strong>{format.money(cents)}</strong>
            </li>
          ))}
        </ul>
      )}
      <Miles key={item.sku} sku={item.sku} />
      {item.blocked !== undefined && (
        <p className="tone-warn pad-2-3">{t('priceCheck.blocked', { reason: item.blocked })}</p>
      )}
      {item.mostPerSale !== undefined && <p className="note">{t('priceCheck.limit', { count: item.mostPerSale })}</p>}
    </>
  )
}

/** The offers of the program for which an item counts. */
function Miles({ sku }: { readonly sku: string }) {
  const { t } = useI18n()
  const [offers, setOffers] = useState<ItemOffers['offers']>([])
  useEffect(() => {
    let shown = true
    api
      .offersOfItem(sku)
      .then((answer) => shown && setOffers(answer.offers))
      .catch(report)
    return () => {
      shown = false
    }
  }, [sku])
  if (offers.length === 0) return null
  return (
    <ul className="stack-1">
      {offers.map(({ id, award, qualifier }) => (
        <li className="note" key={id}>
          {t('priceCheck.miles', { award, qualifier })}
        </li>
      ))}
    </ul>
  )
}
