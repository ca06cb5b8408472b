import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { LayoutGrid, ScanSearch, Search, X } from 'lucide-react'
import { useDeferredValue, useEffect, useRef, useState, type RefObject } from 'react'
import { Autocomplete, Button, Input, ListBox, ListBoxItem, SearchField } from 'react-aria-components'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { invalidateQueued } from '../../core/state/command-queue.ts'
import { notify } from '../../core/state/notices.ts'
import { ring, ringing, ringNow } from '../sale-commands.ts'
import { takeVoucherShown } from '../../payments/receipt/shown-vouchers.ts'
import { NextQuantityButton } from './next-quantity.tsx'
import { useShell } from '../../core/state/window.ts'
import { ringQueued } from '../../core/state/waiting-keys.ts'
import { IconButton } from '../../core/ui/button.tsx'
import { Key } from '../../core/ui/key.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { CounterButtons } from '../../payments/receipt/after-sale.tsx'
import styles from './item-search.module.css'

const MAX_RESULTS = 12
/** Matches the code of a gift card or store credit without its hyphens, which is typed if a scanner cannot read it. */
const VOUCHER_CODE = /^[A-Z]{16,20}$/i

/** A typed query, and the quantity before it: `3*4011`. */
interface Typed {
  readonly query: string
  readonly quantity?: number
}
function typedOf(text: string): Typed {
  const [, digits, query = ''] = /^\s*([1-9]\d{0,2})\s*[*×](.*)$/.exec(text) ?? []
  return digits === undefined ? { query: text.trim() } : { query: query.trim(), quantity: Number(digits) }
}

/** Rings the item of an unambiguous query, or shows the voucher of a code. Returns false if the query is ambiguous. */
async function ringExact({ query, quantity }: Typed): Promise<boolean> {
  let unambiguous = true
  await ringing(async () => {
    const { items, exact: match } = await api.findItems(query, MAX_RESULTS)
    const exact = items.find(({ sku }) => sku === match?.sku) ?? (items.length === 1 ? items[0] : undefined)
    const pack = match?.pack ?? undefined
    if (exact)
      return ringNow(exact, {
        ...(pack === undefined ? {} : { pack }),
        ...(quantity === undefined ? {} : { quantity }),
      })
    invalidateQueued()
    if (items.length === 0 && VOUCHER_CODE.test(query.replaceAll(/[\s-]/g, '')))
      return takeVoucherShown((await api.presentVoucher(query)).voucher)
    unambiguous = false
  })
  return unambiguous
}

function useSearchKey(input: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    useShell.setState({
      focusSearch: () => {
        input.current?.focus()
        input.current?.select()
      },
    })
    return () => useShell.setState({ focusSearch: () => undefined })
  }, [input])
}

export function ItemSearch() {
  const { format } = useI18n()
  const [text, setText] = useState('')
  const typed = typedOf(text)
  const asked = useDeferredValue(typed.query)
  const input = useRef<HTMLInputElement>(null)
  const { enabled } = useAction('search')
  const quick = useAction('quick-keys')
  const priceCheck = useAction('price-check')
  const found = useQuery({
    queryKey: ['items', asked],
    queryFn: ({ signal }) => api.findItems(asked, MAX_RESULTS, signal),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
  useSearchKey(input)

  const clear = (): void => {
    setText('')
    input.current?.blur()
  }
  const take = (item: Item): void => {
    const { quantity } = typed
    clear()
    ringQueued(format.text(item.name), () => ring(item, quantity === undefined ? {} : { quantity }))
  }
  /** Whether the list belongs to the current text; nothing can be chosen from an outdated list. */
  const fresh = asked === typed.query && !found.isPlaceholderData
  /**
   * Handles Enter for the list too: after a new answer the field may still name an option that no longer exists, to
   * which the list would send the key without effect.
   */
  const submit = (): void => {
    const marked = document.getElementById(input.current?.getAttribute('aria-activedescendant') ?? '')
    const item = found.data?.items.find(({ sku }) => sku === marked?.dataset['key'])
    if (item && fresh) take(item)
    else takeExact()
  }
  /**
   * Handles Enter before the list arrived: rings only an unambiguous match. The field is empty at once, even if the
   * answer is late.
   */
  const takeExact = (): void => {
    const asTyped = text.trim()
    if (typed.query === '') return
    clear()
    ringQueued(asTyped, async () => {
      if (!(await ringExact(typed))) chooseFrom(asTyped)
    })
  }
  /** Lets the cashier choose among the results of an ambiguous query, unless another action has begun since. */
  const chooseFrom = (query: string): void => {
    const idle = document.activeElement === document.body
    if (input.current?.value !== '' || !idle)
      return notify('warning', ({ t: localize }) => localize('sale.searchUnclear', { query }))
    setText(query)
    input.current.focus()
  }
  const open = asked !== '' && text !== ''
  // Remove the reference to a list item together with the list, or screen readers would read a missing item.
  useEffect(() => {
    if (!open) input.current?.removeAttribute('aria-activedescendant')
  })
  return (
    <div
      role="search"
      className={`row-2 wraps relative pad-3 ${styles['search']}`}
      // The first Esc empties the field, the next leaves it, so that the keyboard keys act on the sale again.
      onKeyDownCapture={(event) => {
        if (!['Escape', 'Enter'].includes(event.key) || event.target !== input.current) return
        event.preventDefault()
        event.stopPropagation()
        if (event.key === 'Enter') submit()
        else if (text === '') input.current?.blur()
        else setText('')
      }}
    >
      <Autocomplete inputValue={text} onInputChange={setText}>
        <Field input={input} isEmpty={text === ''} isDisabled={!enabled} />
        <CounterButtons look="plain" />
        <span className={styles['wide']}>
          <NextQuantityButton />
        </span>
        <IconButton
          look="plain"
          label={priceCheck.label}
          icon={<ScanSearch />}
          isDisabled={!priceCheck.enabled}
          onPress={priceCheck.perform}
        />
        <IconButton
          look="plain"
          label={quick.label}
          icon={<LayoutGrid />}
          isDisabled={!quick.enabled}
          onPress={quick.perform}
        />
        {open && (
          <Found
            found={found}
            asked={asked}
            onChoose={(item) => {
              if (item && fresh) take(item)
              else takeExact()
            }}
          />
        )}
      </Autocomplete>
    </div>
  )
}

interface FieldProps {
  readonly input: RefObject<HTMLInputElement | null>
  readonly isEmpty: boolean
  readonly isDisabled: boolean
}

function Field({ input, isEmpty, isDisabled }: FieldProps) {
  const { t } = useI18n()
  return (
    <SearchField
      aria-label={t('sale.searchLabel')}
      isDisabled={isDisabled}
      className={`row-3 min-width-0 control pad-0-3 ${styles['field']}`}
    >
      <Search aria-hidden="true" />
      <Input ref={input} placeholder={t('sale.searchPlaceholder')} maxLength={80} />
      {isEmpty ? (
        <Key name="F2" />
      ) : (
        <Button
          className={`grid rigid round-s borderless icons-20 ${styles['clear']}`}
          aria-label={t('sale.clearSearch')}
        >
          <X aria-hidden="true" />
        </Button>
      )}
    </SearchField>
  )
}

interface FoundProps {
  readonly found: UseQueryResult<{ readonly items: readonly Item[] }>
  readonly asked: string
  readonly onChoose: (item: Item | undefined) => void
}

function Found({ found, asked, onChoose }: FoundProps) {
  const { t, format } = useI18n()
  const items = found.data?.items ?? []
  return (
    <div className={`scroll framed surface-1 ${styles['found']}`}>
      {found.isPending && (
        <p className="dim pad-4" role="status">
          {t('sale.searching')}
        </p>
      )}
      {found.isError && (
        <p className="dim pad-4" role="alert">
          {t('sale.searchFailed')}
        </p>
      )}
      {found.isSuccess && (
        <ListBox
          aria-label={t('sale.searchResults')}
          className={`ringless ${styles['list']}`}
          items={items.map((item) => ({ ...item, id: item.sku }))}
          dependencies={[t]}
          selectionMode="none"
          onAction={(key) => onChoose(items.find(({ sku }) => sku === key))}
          renderEmptyState={() => (
            <p className="dim pad-4" role="status">
              {t('sale.searchNone', { query: asked })}
            </p>
          )}
        >
          {(item) => (
            <ListBoxItem
              id={item.sku}
              textValue={format.text(item.name)}
              className={`stack-4 middle round-s pad-0-3 default-cursor ${styles['item']} figures`}
            >
              <span className={`weight-550 nowrap ${styles['name']} prose`}>{format.text(item.name)}</span>
              <span className={`note ${styles['sku']}`}>{item.sku}</span>
              <span className="weight-650 right">
                {item.openPrice ? t('sale.openPrice') : format.money(item.priceCents)}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      )}
    </div>
  )
}
