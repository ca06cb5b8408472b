import { useMutation } from '@tanstack/react-query'
import { Calculator } from 'lucide-react'
import { useState } from 'react'
import type { PromotionPreview, PreviewPromotion } from '../../contracts/catalog/promotions.ts'
import type { z } from 'zod'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { Button } from '../core/ui/button.tsx'
import { DateField } from '../core/ui/date-field.tsx'
import { isDay } from '../core/ui/date-text.ts'
import { LoadFailed, TableWrap, pageStyles } from '../core/ui/page.tsx'
import styles from './catalog.module.css'
import { Check, Field, Group } from './fields.tsx'

const LINES = 4
const NOON = '12:00'

/**
 * Prices a sample basket with the draft and the store's other promotions. `promotion`: the draft; null if it has
 * errors.
 */
export function PromotionTrial({
  promotion,
  onAttempt,
}: {
  readonly promotion: z.input<typeof PreviewPromotion>['promotion'] | null
  readonly onAttempt: () => void
}) {
  const { t } = useI18n()
  const [lines, setLines] = useState(() => Array.from({ length: LINES }, () => ({ sku: '', quantity: '1' })))
  const [isMember, setMember] = useState(false)
  const [day, setDay] = useState('')
  const [time, setTime] = useState('')
  const [isTried, setTried] = useState(false)
  const trial = useMutation({ mutationFn: catalogApi.previewPromotion })
  const set = (index: number, change: Partial<(typeof lines)[number]>): void =>
    setLines((before) => before.map((line, at) => (at === index ? { ...line, ...change } : line)))
  const basket = lines
    .filter(({ sku }) => sku !== '')
    .map(({ sku, quantity }) => ({ sku, quantity: /^[1-9]\d{0,2}$/.test(quantity) ? Number(quantity) : 0 }))
  const at = isDay(day) ? { at: `${day}T${/^\d{2}:\d{2}$/.test(time) ? time : NOON}` } : {}
  const run = (): void => {
    onAttempt()
    setTried(true)
    if (promotion && basket.length > 0 && basket.every(({ quantity }) => quantity > 0))
      trial.mutate({ promotion, lines: basket, isMember, ...at })
  }
  return (
    <>
      <Group title={t('catalog.promotions.trialTitle')}>
        {lines.map(({ sku, quantity }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the lines have no other identity
          <div key={index} className={`grid gap-3 ${styles['trial']}`}>
            <Field
              label={t('catalog.promotions.trialSku', { number: index + 1 })}
              value={sku}
              onChange={(text) => set(index, { sku: text.trim() })}
              max={40}
              wrong={isTried && basket.length === 0 && index === 0 ? t('catalog.promotions.trialMissing') : null}
            />
            <Field
              label={t('catalog.promotions.trialQuantity', { number: index + 1 })}
              value={quantity}
              onChange={(text) => set(index, { quantity: text.trim() })}
              max={3}
              wrong={isTried && sku !== '' && !/^[1-9]\d{0,2}$/.test(quantity) ? t('sale.quantityRange') : null}
            />
          </div>
        ))}
        <DateField
          label={t('catalog.promotions.trialDay')}
          value={day}
          onChange={setDay}
          hint={t('catalog.promotions.trialDayHint')}
          optional
        />
        <Field label={t('catalog.promotions.trialTime')} value={time} onChange={setTime} max={5} hint="17:30" />
        <Check label={t('catalog.promotions.trialMember')} isOn={isMember} onChange={setMember} />
        <Button icon={<Calculator />} isDisabled={trial.isPending} onPress={run}>
          {t('catalog.promotions.trialRun')}
        </Button>
      </Group>
      {trial.isError && <LoadFailed error={trial.error} retry={run} />}
      {trial.data && <TrialResult preview={trial.data} />}
    </>
  )
}

function TrialResult({ preview }: { readonly preview: PromotionPreview }) {
  const { t, format } = useI18n()
  return (
    <div role="status" className="stack-2 single">
      <TableWrap>
        <table className={`${pageStyles['table']} figures`} aria-label={t('catalog.promotions.trialTitle')}>
          <thead>
            <tr>
              <th scope="col">{t('catalog.item')}</th>
              <th scope="col">{t('sale.quantity')}</th>
              <th scope="col">{t('catalog.price')}</th>
              <th scope="col">{t('catalog.promotions.reductions')}</th>
              <th scope="col">{t('sale.amount')}</th>
            </tr>
          </thead>
          <tbody>
            {preview.lines.map(({ sku, name, quantity, unitPriceCents, amountCents, reductions }, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- a basket may have an item twice
              <tr key={index}>
                <th scope="row" className="prose">
                  {format.text(name) || sku}
                </th>
                <td>{quantity}</td>
                <td>{format.money(unitPriceCents)}</td>
                <td className="prose">
                  {reductions.map((reduction) => (
                    <span className="block" key={reduction.id}>
                      {format.text(reduction.name) || reduction.id}{' '}
                      <span className="figures">{format.money(0 - reduction.amountCents)}</span>
                    </span>
                  ))}
                </td>
                <td>{format.money(amountCents)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
      <p className="weight-600">
        {preview.savedCents === 0
          ? t('catalog.promotions.trialNone')
          : t('catalog.promotions.trialSaved', { amount: format.money(preview.savedCents) })}
      </p>
    </div>
  )
}
