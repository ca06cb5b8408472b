import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Plus, RotateCcw, X } from 'lucide-react'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import type { Item, QuickKeyLists, SaveQuickKeys } from '../../contracts/catalog/catalog.ts'
import { catalogApi } from '../core/api/store-api.ts'
import { api } from '../core/api/terminal-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { notify } from '../core/state/notices.ts'
import { Button, IconButton } from '../core/ui/button.tsx'
import { LoadFailed } from '../core/ui/page.tsx'
import { Tag } from '../core/ui/surface.tsx'
import styles from './catalog.module.css'
import { Field, SelectField } from './fields.tsx'
import { useCatalog } from './item-finder.tsx'

const MAX_KEYS = 60
type Department = QuickKeyLists['departments'][number]

export function QuickKeysSection() {
  const { t, format } = useI18n()
  const lists = useCatalog('quick-keys', catalogApi.quickKeyLists)
  const [chosen, setChosen] = useState('')
  if (lists.isPending) return <p role="status">{t('app.loading')}</p>
  if (!lists.data) return <LoadFailed error={lists.error ?? new Error()} retry={() => void lists.refetch()} />
  const { departments } = lists.data
  const department = departments.find(({ id }) => id === chosen) ?? departments[0]
  return (
    <div className="stack-4 single ringless">
      <p className="note">{t('catalog.quick.intro')}</p>
      {department && (
        <>
          <SelectField
            label={t('catalog.department')}
            value={department.id}
            options={departments.map(({ id }) => id)}
            texts={(id) => {
              const one = departments.find((other) => other.id === id)
              return one ? format.text(one.name) : id
            }}
            onChange={setChosen}
          />
          <KeyList key={department.id} department={department} onDone={() => void lists.refetch()} />
        </>
      )}
    </div>
  )
}

function KeyList({ department, onDone }: { readonly department: Department; readonly onDone: () => void }) {
  const { t, format } = useI18n()
  const queries = useQueryClient()
  const { id, items, from } = department
  const skus = items.map(({ sku }) => sku)
  const save = useMutation({
    // `change.seen` has the keys that the page showed at the press, so that a retry does not overwrite a newer change.
    mutationFn: (change: Pick<SaveQuickKeys, 'skus' | 'seen'>) =>
      catalogApi.saveQuickKeys({ departmentId: id, ...change }),
    onError: onDone,
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['quick-keys'] })
      onDone()
      notify('success', (i18n) => i18n.t('catalog.quick.saved'), { topic: 'quick-keys' })
    },
  })
  const arrange = (next: string[] | null): void => save.mutate({ skus: next, seen: skus })
  const move = (index: number, by: 1 | -1): void => {
    const next = [...skus]
    const [sku] = next.splice(index, 1)
    if (sku !== undefined) next.splice(index + by, 0, sku)
    arrange(next)
  }
  return (
    <section
      className="stack-4 single ringless"
      aria-label={t('catalog.quick.list', { department: format.text(department.name) })}
    >
      <div className="row-3 wraps">
        <Tag tone={from === 'lane' ? 'ok' : 'neutral'}>{t(`catalog.quick.from.${from}`)}</Tag>
        {from === 'lane' && (
          <Button icon={<RotateCcw />} isDisabled={save.isPending} onPress={() => arrange(null)}>
            {t('catalog.quick.reset')}
          </Button>
        )}
      </div>
      {save.isError && <LoadFailed error={save.error} retry={() => save.variables && save.mutate(save.variables)} />}
      {items.length === 0 && <p role="status">{t('catalog.quick.empty')}</p>}
      <ol className={`stack-1 pad-0 ${styles['keys']}`}>
        {items.map((item, index) => {
          const name = format.text(item.name)
          return (
            <li className="stack-2 middle framed" key={item.sku}>
              <span className="prose">
                <strong>{name}</strong> <small className="dim">{item.sku}</small>
              </span>
              <span className="figures">{format.money(item.priceCents)}</span>
              <IconButton
                icon={<ArrowUp />}
                label={t('catalog.quick.up', { name })}
                isDisabled={index === 0 || save.isPending}
                onPress={() => move(index, -1)}
              />
              <IconButton
                icon={<ArrowDown />}
                label={t('catalog.quick.down', { name })}
                isDisabled={index === items.length - 1 || save.isPending}
                onPress={() => move(index, 1)}
              />
              <IconButton
                icon={<X />}
                label={t('catalog.quick.take', { name })}
                isDisabled={save.isPending}
                onPress={() => arrange(skus.filter((sku) => sku !== item.sku))}
              />
            </li>
          )
        })}
      </ol>
      <AddKey skus={skus} busy={save.isPending} onAdd={(item) => arrange([...skus, item.sku])} />
    </section>
  )
}

function AddKey({
  skus,
  busy,
  onAdd,
}: {
  readonly skus: readonly string[]
  readonly busy: boolean
  readonly onAdd: (item: Item) => void
}) {
  const { t } = useI18n()
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const find = useMutation({
    mutationFn: (query: string) => api.findItems(query, 5),
    onSuccess: ({ items, exact }) => {
      const item = items.find(({ sku }) => sku === exact?.sku)
      if (!item) setWrong(t('catalog.quick.addUnknown'))
      else if (skus.includes(item.sku)) setWrong(t('catalog.quick.addTwice'))
      else {
        setText('')
        onAdd(item)
      }
    },
  })
  return (
    <Form
      className={`wrap-3 ${styles['add']}`}
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        if (skus.length >= MAX_KEYS) setWrong(t('catalog.quick.full'))
        else if (text.trim() !== '') find.mutate(text.trim())
      }}
    >
      <Field
        label={t('catalog.quick.addLabel')}
        value={text}
        onChange={(value) => {
          setText(value)
          setWrong(null)
        }}
        max={80}
        wrong={wrong}
      />
      <Button type="submit" icon={<Plus />} isDisabled={busy || find.isPending}>
        {t('catalog.quick.add')}
      </Button>
      {find.isError && <LoadFailed error={find.error} retry={() => find.mutate(find.variables)} />}
    </Form>
  )
}
