import { useQuery } from '@tanstack/react-query'
import { Minus, PackageOpen, Plus, Undo2 } from 'lucide-react'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import {
  Autocomplete,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  SearchField,
  TextArea,
  TextField,
} from 'react-aria-components'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useInputCapture } from '../../core/state/window.ts'
import { addUnrecorded, isMissing, refreshQuote, setTyped, setUnrecorded, useUnrecorded } from './unrecorded-return.ts'
import { useMeasureTexts } from '../../sales/measure-texts.ts'
import { isSoldByMeasure, unitOf } from '../../sales/weighing.ts'
import { ActionButton, IconButton } from '../../core/ui/button.tsx'
import { RuleNotices } from '../../sales/return-rules.tsx'
import { PaperWarning } from '../../core/ui/paper-warning.tsx'
import { Empty } from '../../core/ui/surface.tsx'
import styles from './returns.module.css'

const MAX_RESULTS = 6
const LONGEST_REASON = 200

/**
 * Screen for goods of a sale that this lane does not know: they are scanned or searched for, and refunded at the lowest
 * recent price as store credit. A price that only the tag shows is asked for, and goods sold by measure are weighed.
 */
export function Unrecorded() {
  const { t, format } = useI18n()
  const { items, quote } = useUnrecorded()
  const texts = useMeasureTexts()
  const goods = quote?.lines.filter(({ chargeOf }) => chargeOf === undefined)
  useInputCapture('items')
  useEffect(refreshQuote, [])
  return (
    <>
      <p className={`row-3 weight-600 round-m pad-3-4 icons-22 ${styles['hint']}`}>
        <PackageOpen aria-hidden="true" />
        {t('returnScreen.withoutHint')}
      </p>
      <ItemFinder />
      {items.length === 0 && (
        <Empty icon={<Undo2 />} title={t('returnScreen.chooseTitle')} text={t('returnScreen.withoutEmpty')} />
      )}
      {items.length > 0 && (
        <ul className={`scroll framed ringless ${styles['lines']}`} aria-label={t('returnScreen.withoutItems')}>
          {items.map((entry, at) => {
            const { key, item, quantity, measured, asksPrice, typed } = entry
            const called = format.text(item.name)
            const line = goods?.[at]
            return (
              <li
                key={key}
                className={`stack-4 with-end middle pad-2-4 default-cursor option ${styles['line']} figures`}
              >
                <span className={`wrap baseline min-width-0 text-l weight-550 ${styles['name']} prose`}>
                  <span>{called}</span>
                  <small className="note weight-500">
                    {measured ? texts.ofUnit(measured.netThousandths, unitOf(item)) : item.sku}
                  </small>
                  {line && line.regularPriceCents === null && !asksPrice && (
                    <small className="note weight-500">{format.money(line.unitPriceCents)}</small>
                  )}
                  {line && line.regularPriceCents !== null && (
                    <small className={`note weight-500 ${styles['worth']}`}>
                      {t('returnScreen.lowestPrice', {
                        price: format.money(line.unitPriceCents),
                        today: format.money(line.regularPriceCents),
                      })}
                    </small>
                  )}
                  {asksPrice && (
                    <TextField
                      value={typed}
                      onChange={(text) => setTyped(key, text)}
                      className={`stack-1 field ringed ${styles['field']}`}
                    >
                      <Label>{t('returnScreen.priceOf', { name: called })}</Label>
                      <Input inputMode="decimal" maxLength={10} autoComplete="off" autoFocus={isMissing(entry)} />
                    </TextField>
                  )}
                </span>
                <span className={`row-2 ${styles['stepper']}`}>
                  <IconButton
                    look="plain"
                    label={t('returnScreen.fewerOf', { name: called })}
                    icon={<Minus />}
                    onPress={() => setUnrecorded(key, quantity - 1)}
                  />
                  <output
                    className="text-xl weight-700 center round-s surface-3"
                    aria-label={t('returnScreen.piecesOf', { name: called })}
                  >
                    {quantity}
                  </output>
                  <IconButton
                    look="plain"
                    label={t('returnScreen.moreOf', { name: called })}
                    icon={<Plus />}
                    isDisabled={measured !== undefined || isSoldByMeasure(item)}
                    onPress={() => setUnrecorded(key, quantity + 1)}
                  />
                </span>
              </li>
            )
          })}
        </ul>
      )}
      <footer className="wrap-2 push-down">
        <ActionButton id="return-find" />
      </footer>
    </>
  )
}

function ItemFinder() {
  const { t, format } = useI18n()
  const [text, setText] = useState('')
  const asked = useDeferredValue(text.trim())
  const input = useRef<HTMLInputElement>(null)
  const found = useQuery({
    queryKey: ['items', asked, MAX_RESULTS],
    queryFn: ({ signal }) => api.findItems(asked, MAX_RESULTS, signal),
    enabled: asked !== '',
  })
  const items = found.data?.items ?? []
  const add = (item: Item): void => {
    addUnrecorded(item)
    setText('')
  }
  /**
   * Adds an item at Enter if no item of the list is selected: the exact match or the only item found. If one is
   * selected, the list has handled Enter; after a new answer the field may still name an option that no longer exists.
   */
  const submit = (): void => {
    const marked = document.getElementById(input.current?.getAttribute('aria-activedescendant') ?? '')
    if (marked !== null || asked !== text.trim()) return
    const match = found.data?.exact
    const exact = items.find(({ sku }) => sku === match?.sku)
    const item = exact ?? (items.length === 1 ? items[0] : undefined)
    if (item) add(item)
  }
  const open = asked !== '' && text !== ''
  useEffect(() => {
    if (!open) input.current?.removeAttribute('aria-activedescendant')
  })
  return (
    <div className={`stack-2 ${styles['finder']}`}>
      <Autocomplete inputValue={text} onInputChange={setText}>
        <SearchField autoFocus className={`stack-1 field ringed ${styles['field']}`} onSubmit={submit}>
          <Label>{t('sale.searchLabel')}</Label>
          <Input
            ref={input}
            maxLength={80}
            autoComplete="off"
            spellCheck="false"
            placeholder={t('sale.searchPlaceholder')}
          />
        </SearchField>
        {open && found.isError && <p role="alert">{t('sale.searchFailed')}</p>}
        {open && found.isSuccess && (
          <ListBox
            aria-label={t('sale.searchResults')}
            className="scroll framed ringless"
            items={items.map((item) => ({ ...item, id: item.sku }))}
            dependencies={[t]}
            selectionMode="none"
            onAction={(key) => {
              // An item from the results of an earlier search text is not added.
              const item = asked === text.trim() ? items.find(({ sku }) => sku === key) : undefined
              if (item) add(item)
            }}
            renderEmptyState={() => <p role="status">{t('sale.searchNone', { query: asked })}</p>}
          >
            {(item) => (
              <ListBoxItem
                id={item.sku}
                textValue={format.text(item.name)}
                className={`stack-4 with-end middle pad-2-4 default-cursor ${styles['sale']} figures`}
              >
                <span className="prose">{format.text(item.name)}</span>
                <span>{format.money(item.priceCents)}</span>
              </ListBoxItem>
            )}
          </ListBox>
        )}
      </Autocomplete>
    </div>
  )
}

export function UnrecordedPanel() {
  const { t, format } = useI18n()
  const { quote, reason, reasonMissing, items } = useUnrecorded()
  return (
    <>
      <div className={`flex gap-3 baseline between board pad-4-5 ${styles['board']}`}>
        <span>{t('returnScreen.goesBack')}</span>
        <output className="figures" aria-label={t('returnScreen.goesBack')}>
          {format.money(quote?.totals.totalCents ?? 0)}
        </output>
      </div>
      <div className={`min-height-0 scroll ${styles['stage']}`}>
        <div className={`stack-3 ${styles['plan']}`}>
          <p className="row-3 tone-warn weight-600 round-m pad-3-4 icons-22">{t('returnScreen.withoutWhy')}</p>
          {quote && <RuleNotices brokenRules={quote.brokenRules} recalled={quote.recalled} />}
          {items.length > 0 && (
            <TextField
              value={reason}
              onChange={(next) => useUnrecorded.setState({ reason: next, reasonMissing: false })}
              isInvalid={reasonMissing}
              className={`stack-1 field ringed ${styles['field']}`}
            >
              <Label>{t('returnScreen.withoutReason')}</Label>
              <TextArea maxLength={LONGEST_REASON} rows={3} />
              <PaperWarning text={reason} />
              <FieldError>{t('returnScreen.withoutReasonMissing')}</FieldError>
            </TextField>
          )}
        </div>
      </div>
      <ActionButton id="return-unrecorded-confirm" look="primary" size="xl" wide icon={<Undo2 />} />
    </>
  )
}
