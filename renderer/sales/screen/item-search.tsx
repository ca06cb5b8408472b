import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { LayoutGrid, Search, X } from 'lucide-react'
import { useDeferredValue, useEffect, useRef, useState, type RefObject } from 'react'
import { Autocomplete, Button, Input, ListBox, ListBoxItem, SearchField } from 'react-aria-components'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useWords } from '../../core/i18n/words.tsx'
import { miss } from '../../core/state/command-queue.ts'
import { notify } from '../../core/state/notices.ts'
import { ring, ringing, ringNow } from '../sale-commands.ts'
import { takeVoucherShown } from '../../payments/receipt/shown-vouchers.ts'
import { useShell } from '../../core/state/window.ts'
import { ringInTurn } from '../../core/state/waiting-keys.ts'
import { IconButton } from '../../core/ui/button.tsx'
import { Key } from '../../core/ui/key.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { CounterButtons } from '../../payments/receipt/after-sale.tsx'
import styles from './item-search.module.css'

const MOST_FOUND = 12
/** The code of a gift card or a store credit that no scanner reads, without its hyphens. */
const VOUCHER_CODE = /^[A-Z]{16,20}$/i

/** Rings the item that a query can only mean; a code of a voucher is shown. Answers false where it may mean more. */
async function ringExact(query: string): Promise<boolean> {
  let unambiguous = true
  await ringing(async () => {
    const { items } = await api.findItems(query, MOST_FOUND)
    const exact =
      items.find((item) => item.sku === query || item.barcode === query) ?? (items.length === 1 ? items[0] : undefined)
    if (exact) return ringNow(exact)
    miss()
    if (items.length === 0 && VOUCHER_CODE.test(query.replaceAll(/[\s-]/g, '')))
      return takeVoucherShown((await api.presentVoucher(query)).voucher)
    unambiguous = false
  })
  return unambiguous
}

/** The key of the search puts the focus here. */
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

/** Find by name in any language, SKU or a part of the barcode. The arrow keys choose, Enter rings. */
export function ItemSearch() {
  const { format } = useWords()
  const [text, setText] = useState('')
  const asked = useDeferredValue(text.trim())
  const input = useRef<HTMLInputElement>(null)
  const { enabled } = useAction('search')
  const quick = useAction('quick-keys')
  const found = useQuery({
    queryKey: ['items', asked],
    queryFn: ({ signal }) => api.findItems(asked, MOST_FOUND, signal),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
  useSearchKey(input)

  /** What is typed next is another search, and + and Delete are the terminal's again. */
  const clear = (): void => {
    setText('')
    input.current?.blur()
  }
  const take = (item: Item): void => {
    clear()
    ringInTurn(format.text(item.name), () => ring(item))
  }
  /** What the list shows belongs to what is typed now; a list of a moment ago is not chosen from. */
  const fresh = asked === text.trim() && !found.isPlaceholderData
  /** Enter in the field itself. With an item marked in the list, Enter has chosen that item already. */
  const submit = (): void => {
    if (!input.current?.hasAttribute('aria-activedescendant')) takeExact()
  }
  /**
   * Enter before the list has come: ring only what can mean nothing else. The field is free at once, however late the
   * answer.
   */
  const takeExact = (): void => {
    const query = text.trim()
    if (query === '') return
    clear()
    ringInTurn(query, async () => {
      if (!(await ringExact(query))) chooseFrom(query)
    })
  }
  /** Not one item: the cashier chooses, unless something else has begun meanwhile. */
  const chooseFrom = (query: string): void => {
    const idle = document.activeElement === document.body
    if (input.current?.value !== '' || !idle)
      return notify('warning', ({ t: say }) => say('sale.searchUnclear', { query }))
    setText(query)
    input.current.focus()
  }
  const open = asked !== '' && text !== ''
  // The field points at an item only while there is a list: a pointer at an item that is gone would be read out.
  useEffect(() => {
    if (!open) input.current?.removeAttribute('aria-activedescendant')
  })
  return (
    <div
      role="search"
      className={`row-2 wraps relative pad-3 ${styles['search']}`}
      // One Esc empties the field, the next leaves it: then the keys are the terminal's again.
      onKeyDownCapture={(event) => {
        if (event.key !== 'Escape' || event.target !== input.current) return
        event.preventDefault()
        event.stopPropagation()
        if (text === '') input.current?.blur()
        else setText('')
      }}
    >
      <Autocomplete inputValue={text} onInputChange={setText}>
        <Field input={input} isEmpty={text === ''} isDisabled={!enabled} onSubmit={submit} />
        {/* What a customer at the counter may ask for at any moment, with a sale open too. */}
        <CounterButtons look="plain" />
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
  readonly onSubmit: () => void
}

function Field({ input, isEmpty, isDisabled, onSubmit }: FieldProps) {
  const { t } = useWords()
  return (
    <SearchField
      aria-label={t('sale.searchLabel')}
      isDisabled={isDisabled}
      className={`row-3 min-width-0 control pad-0-3 ${styles['field']}`}
      onSubmit={onSubmit}
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
  const { t, format } = useWords()
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
              <span className={`weight-550 nowrap ${styles['name']} words`}>{format.text(item.name)}</span>
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
