import { ArrowLeft, Minus, PackageCheck, Plus } from 'lucide-react'
import { GridList, GridListItem } from 'react-aria-components'
import type { ReturnableSale } from '../../../contracts/api/returns.ts'
import type { SaleLine } from '../../../contracts/api/sales.ts'
import { useWords } from '../../i18n/words.tsx'
import { setPieces, useReturn } from '../../state/returns.ts'
import { ActionButton, IconButton } from '../../ui/button.tsx'
import { Tag } from '../../ui/surface.tsx'
import { useDiscountName } from '../changes/discount-name.ts'
import { Reason } from './return-reason.tsx'
import styles from './returns.module.css'

/**
 * The lines of the sale with what is left of each; how many pieces come back is said by the buttons of a line, or by +
 * and − on the marked one.
 */
export function ReturnLines({ sale }: { readonly sale: ReturnableSale }) {
  const { t, format } = useWords()
  const { pieces, selectedLine, quote } = useReturn()
  const worthOf = useWorth(sale)
  const lines = sale.lines.map((line) => ({
    ...line,
    id: line.number,
    taken: pieces[line.number] ?? 0,
    worth: worthOf(quote?.lines.find(({ number }) => number === line.number) ?? line),
  }))
  const nothingLeft = lines.every(({ leftQuantity }) => leftQuantity === 0)
  return (
    <>
      <p className={`${styles['of']} figures`}>
        <strong>{sale.saleId}</strong> {format.dateTime(sale.completedAt)}
        {sale.lane !== undefined && ` · ${t('returnScreen.soldAtLane', { lane: sale.lane })}`}
        {sale.last4 !== null && ` · ${t('earlier.collector', { last4: sale.last4 })}`}
      </p>
      {nothingLeft && (
        <p role="status" className={styles['why']}>
          {t(lines.some(({ kept }) => kept) ? 'returnScreen.nothingButCards' : 'returnScreen.nothingLeft')}
        </p>
      )}
      <GridList
        autoFocus
        className={styles['lines'] ?? ''}
        aria-label={t('returnScreen.lines')}
        items={lines}
        dependencies={[t]}
        selectionMode="single"
        selectionBehavior="replace"
        disabledKeys={lines.filter(({ leftQuantity }) => leftQuantity === 0).map(({ id }) => id)}
        selectedKeys={selectedLine === null ? [] : [selectedLine]}
        onSelectionChange={(keys) => {
          const [key] = keys === 'all' ? [] : keys
          if (typeof key === 'number') useReturn.setState({ selectedLine: key })
        }}
      >
        {({ number, name, unitPriceCents, leftQuantity, returnedQuantity, kept, taken, worth }) => {
          const called = format.text(name)
          return (
            <GridListItem
              id={number}
              textValue={t('returnScreen.lineText', { name: called, taken, left: leftQuantity })}
              className={`${styles['line']} figures`}
              data-taken={taken > 0}
            >
              <span className={`${styles['name']} words`}>
                <span>{called}</span>
                <small>
                  {kept
                    ? t('returnScreen.kept')
                    : t('returnScreen.left', { left: leftQuantity, price: format.money(unitPriceCents) })}
                </small>
                {worth && <small className={styles['worth']}>{worth}</small>}
                {returnedQuantity > 0 && <Tag>{t('returnScreen.returnedBefore', { count: returnedQuantity })}</Tag>}
              </span>
              <span className={styles['stepper']}>
                <IconButton
                  look="plain"
                  label={t('returnScreen.fewerOf', { name: called })}
                  icon={<Minus />}
                  isDisabled={taken === 0}
                  onPress={() => setPieces(number, taken - 1)}
                />
                <output aria-label={t('returnScreen.piecesOf', { name: called })}>{taken}</output>
                <IconButton
                  look="plain"
                  label={t('returnScreen.moreOf', { name: called })}
                  icon={<Plus />}
                  isDisabled={taken === leftQuantity}
                  onPress={() => setPieces(number, taken + 1)}
                />
              </span>
            </GridListItem>
          )
        }}
      </GridList>
      {!nothingLeft && <Reason />}
      <footer className={styles['bar']}>
        <ActionButton id="return-find" icon={<ArrowLeft />} />
        <ActionButton id="return-all" icon={<PackageCheck />} />
      </footer>
    </>
  )
}

/**
 * Why pieces are worth less than their price, in words that a cashier can repeat; null where they are not. Before tax,
 * which goes back with them.
 */
function useWorth(sale: ReturnableSale): (pieces: SaleLine) => string | null {
  const { t, format } = useWords()
  const nameOf = useDiscountName()
  return ({ number, quantity, unitPriceCents, regularPriceCents, discountCents, amountCents }) => {
    const on = sale.lines.find((line) => line.number === number)?.discounts ?? []
    const names = sale.discounts.filter((discount) => on.includes(discount.number)).map((discount) => nameOf(discount))
    const said = [
      ...(regularPriceCents === null
        ? []
        : [
            t('returnScreen.soldAt', { price: format.money(unitPriceCents), regular: format.money(regularPriceCents) }),
          ]),
      ...(discountCents === 0
        ? []
        : [
            t('returnScreen.lessDiscount', {
              price: format.money(unitPriceCents * quantity),
              off: format.money(discountCents),
              names: names.join(', '),
              worth: format.money(amountCents),
            }),
          ]),
    ]
    return said.length === 0 ? null : said.join(' ')
  }
}
