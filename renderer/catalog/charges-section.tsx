import { Milk, Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import type { ChargeList } from '../../contracts/catalog/charges.ts'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { Button, IconButton } from '../core/ui/button.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../core/ui/page.tsx'
import { Empty, Tag } from '../core/ui/surface.tsx'
import { BookFile } from './book-file.tsx'
import styles from './catalog.module.css'
import { ChargeDialog } from './charge-dialog.tsx'
import { useCatalog } from './item-finder.tsx'

type Shown = ChargeList['charges'][number]

/** Deposits and environmental fees of the store. */
export function ChargesSection() {
  const { t } = useI18n()
  const charges = useCatalog('charges', catalogApi.charges)
  const [open, setOpen] = useState<Shown['charge'] | 'new' | null>(null)
  const list = charges.data?.charges
  return (
    <div className="stack-4 single ringless">
      <BookFile calls={catalogApi.chargeFile} intro={t('catalog.charges.intro')} onDone={() => void charges.refetch()}>
        <Button look="primary" icon={<Plus />} onPress={() => setOpen('new')}>
          {t('catalog.charges.add')}
        </Button>
      </BookFile>
      {charges.isPending && <p role="status">{t('app.loading')}</p>}
      {charges.isError && <LoadFailed error={charges.error} retry={() => void charges.refetch()} />}
      {list?.length === 0 && (
        <div className="nothing">
          <Empty icon={<Milk />} title={t('catalog.charges.emptyTitle')} text={t('catalog.charges.empty')} />
        </div>
      )}
      {list && list.length > 0 && (
        <TableWrap>
          <table className={`${pageStyles['table']} ${styles['rows']}`} aria-label={t('catalog.tab.charges')}>
            <thead>
              <tr>
                {(['id', 'nameColumn', 'kind', 'amount', 'refund', 'where'] as const).map((column) => (
                  <th scope="col" key={column}>
                    {t(`catalog.charges.${column}`)}
                  </th>
                ))}
                <th scope="col">
                  <span className="sr-only">{t('catalog.tab.charges')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.map((shown) => (
                <Row key={shown.charge.id} {...shown} onOpen={() => setOpen(shown.charge)} />
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
      {open && (
        <ChargeDialog
          charge={open === 'new' ? null : open}
          onClose={() => setOpen(null)}
          onDone={() => void charges.refetch()}
        />
      )}
    </div>
  )
}

function Row({ charge, from, cents, refundCents, onOpen }: Shown & { readonly onOpen: () => void }) {
  const { t, format } = useI18n()
  const name = format.text(charge.names)
  const [today] = useState(() => format.localDate(new Date().toJSON()))
  return (
    <tr>
      <th scope="row" className="prose">
        {charge.id}
      </th>
      <td className="prose">{name}</td>
      <td>{t(`catalog.charges.kinds.${charge.kind}`)}</td>
      <td className="figures">
        {format.money(cents)}
        {charge.changes
          .filter((change) => change.from > today)
          .map((change) => (
            <small className="block note" key={change.from}>
              {t('catalog.charges.later', { amount: format.money(change.cents), day: format.date(change.from) })}
            </small>
          ))}
      </td>
      <td className="figures">{charge.kind === 'fee' ? '–' : format.money(refundCents)}</td>
      <td>
        <Tag tone={from === 'lane' ? 'ok' : 'neutral'}>{t(`catalog.charges.origin.${from}`)}</Tag>
      </td>
      <td className={`right ${styles['act']}`}>
        <IconButton icon={<Pencil />} label={t('catalog.charges.edit', { name })} onPress={onOpen} />
      </td>
    </tr>
  )
}
