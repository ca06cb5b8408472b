import { Scale, ShoppingBasket } from 'lucide-react'
import { useState } from 'react'
import { FieldError, Form, Input, Label, Text, TextField } from 'react-aria-components'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import {
  type MeasureUnit,
  UNIT_RULES,
  formatThousandths,
  parseThousandths,
  priceOfMeasure,
  tareOf,
} from '../../../contracts/catalog/measure-units.ts'
import { LANGUAGES } from '../../../contracts/i18n/languages.ts'
import type { ScaleView, Weighing } from '../../../contracts/sales/weighing.ts'
import { ApiProblem } from '../../core/api/problem.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { type LazyText, problemText } from '../../core/state/notices.ts'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { useTries } from '../../core/ui/focus.ts'
import { useApproval } from '../approvals.ts'
import { useMeasureTexts } from '../measure-texts.ts'
import { quantityAnswered, unitOf, useWeighing } from '../weighing.ts'
import styles from './weigh-dialog.module.css'

/** Asks for the quantity of an item that is sold by measure: from the scale, or typed. */
export function WeighDialog() {
  const asked = useWeighing((state) => state.asked)
  const approving = useApproval((state) => state.asked !== null)
  const [first] = asked
  return first && !approving ? <Opened key={`${first.item.sku} ${asked.length}`} {...first} /> : null
}

type Source = Weighing['from']
type Asked = ReturnType<typeof useWeighing.getState>['asked'][number]

/** The quantity as entered: null without a valid gross quantity, or with a tare that is not below it. */
function readQuantity(
  item: Item,
  source: Source,
  { typed, tareText, scale }: { typed: string; tareText: string; scale: ScaleView | null },
) {
  const unit = unitOf(item)
  const rule = UNIT_RULES[unit]
  const stable = scale?.state === 'stable' ? scale.grossThousandths : null
  const gross = source === 'scale' ? stable : parseThousandths(typed, rule.decimals) || null
  const isNet = source === 'scale' && scale?.isNet === true
  const typedTare = tareText.trim() === '' ? undefined : parseThousandths(tareText, 3)
  const isTareWrong = tareText.trim() !== '' && (typedTare === undefined || (gross !== null && typedTare >= gross))
  const tare = gross === null || isNet || !rule.isWeight ? 0 : (typedTare ?? tareOf(item.tare, gross))
  const net = gross === null || isTareWrong || tare >= gross ? null : gross - tare
  const total = net === null ? null : priceOfMeasure(net, unit, item.priceCents)
  const weighing: Weighing | null =
    gross === null || net === null
      ? null
      : {
          ...(source === 'scale'
            ? { from: 'scale', reading: scale?.number ?? 0 }
            : { from: 'typed', grossThousandths: gross }),
          ...(typedTare === undefined ? {} : { tareThousandths: typedTare }),
        }
  return { gross, tare, net, total, weighing, isTareWrong }
}

function Opened({ item, done }: Asked) {
  const { t, format } = useI18n()
  const texts = useMeasureTexts()
  const scale = useWeighing((state) => state.scale)
  const unit = unitOf(item)
  const { symbol, isWeight } = UNIT_RULES[unit]
  const fits = isWeight && scale !== null && scale.unit === symbol
  const [chosen, setChosen] = useState<Source | null>(null)
  const source = fits ? (chosen ?? 'scale') : 'typed'
  const [typed, setTyped] = useState('')
  const [tareText, setTareText] = useState('')
  const [problem, setProblem] = useState<LazyText | null>(null)
  const [busy, setBusy] = useState(false)
  const { tried, attempt, form } = useTries()
  const quantity = readQuantity(item, source, { typed, tareText, scale })
  const confirm = async (): Promise<void> => {
    attempt()
    const { weighing, net, tare } = quantity
    if (busy || weighing === null || net === null) return
    setBusy(true)
    try {
      await done(weighing, {
        netThousandths: net,
        ...(tare > 0 ? { tareThousandths: tare } : {}),
        source,
      })
      quantityAnswered()
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      setProblem(() => problemText(error))
    }
    setBusy(false)
  }
  const i18n = useI18n()
  const title = t(isWeight ? 'weighing.title' : 'weighing.titleTyped', { name: format.text(item.name) })
  return (
    <Dialog open onClose={quantityAnswered} title={title} size="l">
      <Form
        ref={form}
        className="stack-4"
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          void confirm()
        }}
      >
        {fits && (
          <div className="stack-2 halves" role="group" aria-label={t('weighing.source')}>
            {(['scale', 'typed'] as const).map((one) => (
              <Button
                key={one}
                aria-pressed={source === one}
                look={source === one ? 'primary' : 'plain'}
                preventFocusOnPress
                onPress={() => setChosen(one)}
              >
                {t(`weighing.${one}`)}
              </Button>
            ))}
          </div>
        )}
        {isWeight && scale !== null && !fits && (
          <p className="tone-warn pad-2-3">{t('weighing.otherUnit', { unit: scale.unit, of: symbol })}</p>
        )}
        <div className={`grid gap-5 start ${styles['split']}`}>
          {source === 'scale' && scale !== null ? (
            <ScaleReading scale={scale} tried={tried && quantity.gross === null} />
          ) : (
            <TypedQuantity unit={unit} text={typed} onType={setTyped} wrong={tried && quantity.gross === null} />
          )}
          <div className="stack-3">
            {isWeight && (
              <TextField
                value={tareText}
                onChange={setTareText}
                isInvalid={quantity.isTareWrong}
                inputMode="decimal"
                className="stack-1 field ringed"
              >
                <Label>{t('weighing.tare')}</Label>
                <Input maxLength={7} autoComplete="off" />
                <Text slot="description" className="note">
                  {t('weighing.tareHint', {
                    unit: symbol,
                    tare: tareOfItem(item, t('weighing.tareNone'), texts, format),
                  })}
                </Text>
                <FieldError>
                  {t('weighing.tareWrong', {
                    example: formatThousandths(12, 3, LANGUAGES[format.locale].paper.decimal),
                  })}
                </FieldError>
              </TextField>
            )}
            <Sums item={item} quantity={quantity} />
          </div>
        </div>
        {problem !== null && (
          <p role="alert" className="tone-warn pad-2-3">
            {problem(i18n)}
          </p>
        )}
        <div className="stack-3 foot">
          <Button size="l" onPress={quantityAnswered}>
            {t('actions.back')}
          </Button>
          <Button
            size="l"
            look="primary"
            type="submit"
            icon={<ShoppingBasket />}
            isPending={busy}
            autoFocus={source === 'scale'}
          >
            {quantity.total === null
              ? t('weighing.addNone')
              : t('weighing.add', { total: format.money(quantity.total) })}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

type Texts = ReturnType<typeof useMeasureTexts>

function tareOfItem(
  { tare, unit }: Item,
  none: string,
  texts: Texts,
  format: { percent: (ppm: number) => string },
): string {
  if (tare === undefined) return none
  return tare.kind === 'share' ? format.percent(tare.ppm) : texts.ofUnit(tare.thousandths, unit ?? 'kg')
}

/** The weight that the scale shows, with its decimals and in its unit, or its state without a weight. */
function ScaleReading({ scale, tried }: { readonly scale: ScaleView; readonly tried: boolean }) {
  const { t } = useI18n()
  const texts = useMeasureTexts()
  const { state, grossThousandths, unit, decimals, isNet } = scale
  const weight = grossThousandths === null ? null : texts.quantity(grossThousandths, unit, decimals)
  return (
    <div className={`stack-2 round-m pad-4-5 ${styles['reading']}`} data-state={state}>
      <p className="row-2 text-s weight-600">
        <Scale aria-hidden="true" />
        {t('weighing.weight')}
      </p>
      <p role="status" className="text-2xl weight-700 line-tight figures">
        {state === 'stable' && weight !== null
          ? isNet
            ? t('weighing.net', { weight })
            : weight
          : t(`weighing.state.${state}`)}
      </p>
      <p className="note" role={tried ? 'alert' : undefined}>
        {state === 'stable' ? t('weighing.state.stable') : t('weighing.wait')}
      </p>
    </div>
  )
}

function TypedQuantity({
  unit,
  text,
  onType,
  wrong,
}: {
  readonly unit: MeasureUnit
  readonly text: string
  readonly onType: (text: string) => void
  readonly wrong: boolean
}) {
  const { t, format } = useI18n()
  const { decimals, symbol, isWeight } = UNIT_RULES[unit]
  return (
    <TextField
      autoFocus
      value={text}
      onChange={onType}
      isInvalid={wrong}
      inputMode="decimal"
      className={`stack-1 field ringed ${styles['typed']}`}
    >
      <Label>{t(isWeight ? 'weighing.weightIn' : 'weighing.quantityIn', { unit: symbol })}</Label>
      <Input maxLength={8} autoComplete="off" />
      {isWeight && (
        <Text slot="description" className="note">
          {t('weighing.typeHint')}
        </Text>
      )}
      <FieldError>
        {t('weighing.quantityWrong', {
          example: formatThousandths(1_250, decimals, LANGUAGES[format.locale].paper.decimal),
        })}
      </FieldError>
    </TextField>
  )
}

/** Unit price, tare, net quantity and total, always together (SI/98-81, s. 47). */
function Sums({ item, quantity }: { readonly item: Item; readonly quantity: ReturnType<typeof readQuantity> }) {
  const { t, format } = useI18n()
  const texts = useMeasureTexts()
  const unit = unitOf(item)
  const { net, tare, total } = quantity
  const netText = net === null ? null : texts.ofUnit(net, unit)
  return (
    <dl className={`grid text-l figures ${styles['sums']}`}>
      <dt>{t('weighing.price')}</dt>
      <dd>{texts.price(item.priceCents, unit)}</dd>
      {tare > 0 && netText !== null && (
        <>
          <dt>{t('weighing.tareActive', { tare: texts.ofUnit(tare, unit) })}</dt>
          <dd>{t('weighing.net', { weight: netText })}</dd>
        </>
      )}
      <dt className="weight-700">{t('weighing.total')}</dt>
      <dd className="weight-700">{total === null ? '–' : format.money(total)}</dd>
    </dl>
  )
}
