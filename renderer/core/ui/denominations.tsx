import { CornerDownLeft, Delete } from 'lucide-react'
import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react'
import { Input, Label, TextField } from 'react-aria-components'
import { useI18n } from '../i18n/i18n.ts'
import type { Pieces } from '../../day/drawer/drawer-counts.ts'
import { Button } from './button.tsx'
import styles from './denominations.module.css'
import { Keypad } from './keypad.tsx'
import { piecesTyped } from './typed-amount.ts'
import { DENOMINATIONS, type Denomination } from '../../../contracts/core/denominations.ts'
import { eraseIn, typeInto } from './text-field.ts'

const SMALLEST_NOTE = 500
const GROUPS = [
  { kind: 'notes', worths: DENOMINATIONS.filter((worth) => worth >= SMALLEST_NOTE) },
  { kind: 'coins', worths: DENOMINATIONS.filter((worth) => worth < SMALLEST_NOTE) },
] as const
const CENTS_PER_DOLLAR = 100

/**
 * Counts coins and notes by number, with their values and the running sum. Enter and the arrow keys move between
 * fields, and Enter on the last field confirms; a touched digit types into the focused field.
 */
export function Denominations({
  pieces,
  sumCents,
  onChange,
  onEnter,
}: {
  readonly pieces: Pieces
  readonly sumCents: number
  readonly onChange: (worth: Denomination, typed: string) => void
  readonly onEnter: () => void
}) {
  const { t, format } = useI18n()
  const { group, current, next, onKeyDown, onFocus } = useFieldSteps(onEnter)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- moves between the fields inside
    <div
      ref={group}
      role="group"
      aria-label={t('denominations.label')}
      data-own-keys=""
      className={`grid gap-5 start ${styles['pad']}`}
      onKeyDown={onKeyDown}
      onFocus={onFocus}
    >
      {GROUPS.map(({ kind, worths }) => (
        <div key={kind} role="group" aria-label={t(`denominations.${kind}`)} className="stack-1">
          <h3 className="note">{t(`denominations.${kind}`)}</h3>
          {worths.map((worth) => (
            <Row key={worth} worth={worth} typed={pieces[worth] ?? ''} onType={(typed) => onChange(worth, typed)} />
          ))}
        </div>
      ))}
      <div className="stack-3">
        <p className={`wrap baseline between round-m pad-2-4 ${styles['sum']}`}>
          <span>{t('shifts.sum')}</span>
          <output className="text-xl weight-700 figures">{format.money(sumCents)}</output>
        </p>
        <Keypad
          label={t('tender.keypad')}
          onDigit={(digit) => {
            const field = current()
            if (field) typeInto(field, digit)
          }}
          first={
            <Button
              size="l"
              look="quiet"
              aria-label={t('shifts.next')}
              preventFocusOnPress
              icon={<CornerDownLeft />}
              onPress={next}
            />
          }
          last={
            <Button
              size="l"
              look="quiet"
              aria-label={t('tender.erase')}
              preventFocusOnPress
              icon={<Delete />}
              onPress={() => {
                const field = current()
                if (field) eraseIn(field)
              }}
            />
          }
        />
      </div>
    </div>
  )
}

function useFieldSteps(onLast: () => void) {
  const group = useRef<HTMLDivElement>(null)
  const last = useRef<HTMLInputElement>(null)
  const fields = (): HTMLInputElement[] => [...(group.current?.querySelectorAll('input') ?? [])]
  /** The field that receives touched digits: the focused one, or the last that had the focus. */
  const current = (): HTMLInputElement | undefined => last.current ?? fields()[0]
  const goTo = (field: HTMLInputElement | undefined): void => {
    field?.focus()
    field?.select()
  }
  const step = (by: 1 | -1): HTMLInputElement | undefined => {
    const all = fields()
    const at = all.findIndex((field) => field === current())
    return all[at + by]
  }
  const next = (): void => {
    const field = step(1)
    if (field) goTo(field)
    else onLast()
  }
  useEffect(() => {
    group.current?.querySelector('input')?.focus()
  }, [])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLInputElement)) return
    if (event.key === 'Enter') next()
    else if (event.key === 'ArrowDown') goTo(step(1))
    else if (event.key === 'ArrowUp') goTo(step(-1))
    else return
    event.preventDefault()
  }
  const onFocus = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLInputElement) last.current = target
  }
  return { group, current, next, onKeyDown, onFocus }
}

function Row({
  worth,
  typed,
  onType,
}: {
  readonly worth: Denomination
  readonly typed: string
  readonly onType: (typed: string) => void
}) {
  const { t, format } = useI18n()
  const [refused, setRefused] = useState(false)
  return (
    <TextField
      value={typed}
      isInvalid={refused}
      onChange={(text) => {
        const digits = piecesTyped(text)
        setRefused(digits === null)
        if (digits !== null) onType(digits)
      }}
      className={`stack-2 middle ${styles['row']}`}
    >
      <Label>
        {worth < CENTS_PER_DOLLAR
          ? t('denominations.cents', { amount: String(worth) })
          : t('denominations.dollars', { amount: String(worth / CENTS_PER_DOLLAR) })}
      </Label>
      <Input
        inputMode="numeric"
        autoComplete="off"
        className={`min-width-0 full-width target control text-l right pad-0-3 ${styles['field']} figures`}
      />
      {refused ? (
        <span role="alert" className={`text-s ${styles['refused']}`}>
          {t('denominations.whole')}
        </span>
      ) : (
        <span className="dim right nowrap figures">{Number(typed) > 0 && format.money(worth * Number(typed))}</span>
      )}
    </TextField>
  )
}
