import { ArrowBigUp, CornerDownLeft, Delete, KeyboardOff } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useLocale } from 'use-intl'
import type { Locale } from '../../../contracts/core/locales.ts'
import { useI18n } from '../i18n/i18n.ts'
import { Button } from './button.tsx'
import styles from './touch-keyboard.module.css'
import { LANGUAGES, perLocale } from '../../../contracts/i18n/languages.ts'
import { type TextField, eraseIn, isTextField, keepFocus, typeInto } from './text-field.ts'

/** Whether this keyboard is sending a key, which does not indicate a physical keyboard. */
let sending = false

/** Time within which a lifted finger causes a click; later, no click follows. */
const LATEST_CLICK_MS = 300

const hasOwnKeys = (field: TextField): boolean => field.closest('[data-own-keys]') !== null

/**
 * Returns the text field focused by touch, and a function that closes the keyboard. The field is null as soon as a
 * physical keyboard is used.
 */
function useTouchedField(): readonly [TextField | null, () => void] {
  const [field, setField] = useState<TextField | null>(null)
  useEffect(() => {
    let touch = false
    let tapping = false
    let tapEnds: ReturnType<typeof setTimeout> | undefined
    const show = (target: EventTarget | null): void =>
      setField(touch && isTextField(target) && !hasOwnKeys(target) ? target : null)
    const onPointer = (event: PointerEvent): void => {
      touch = event.pointerType === 'touch' || event.pointerType === 'pen'
      clearTimeout(tapEnds)
      tapping = touch
      // A touch of the focused field opens a closed keyboard again, because no focus event follows.
      if (event.target === document.activeElement) show(event.target)
    }
    const onFocus = ({ target }: FocusEvent): void => {
      if (!tapping || isTextField(target)) show(target)
    }
    // A press on a button blurs the field before its click: closing the keyboard at once would move the button from
    // under the finger and lose the press.
    const onLeave = (): void => {
      if (!tapping && !isTextField(document.activeElement)) setField(null)
    }
    const onBlur = (): void => queueMicrotask(onLeave)
    const endTap = (afterMs: number): void => {
      clearTimeout(tapEnds)
      if (tapping)
        tapEnds = setTimeout(() => {
          tapping = false
          onLeave()
        }, afterMs)
    }
    const onLift = (): void => endTap(LATEST_CLICK_MS)
    const onClick = (): void => endTap(0)
    const onKey = (): void => {
      if (sending) return
      touch = false
      setField(null)
    }
    const listening = [
      ['pointerdown', onPointer],
      ['pointerup', onLift],
      ['pointercancel', onClick],
      ['click', onClick],
      ['focusin', onFocus],
      ['focusout', onBlur],
      ['keydown', onKey],
    ] as const
    for (const [name, listener] of listening) addEventListener(name, listener as EventListener, { capture: true })
    return () => {
      clearTimeout(tapEnds)
      for (const [name, listener] of listening) removeEventListener(name, listener as EventListener, { capture: true })
    }
  }, [])
  useEffect(() => {
    if (!field) return undefined
    // A panel that closes removes its field without a blur event.
    const removal = new MutationObserver(() => {
      if (!field.isConnected || field.disabled) setField(null)
    })
    removal.observe(document.body, { childList: true, subtree: true })
    return () => removal.disconnect()
  }, [field])
  return [field, () => setField(null)]
}

function enter(field: TextField): void {
  sending = true
  try {
    const event = new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true })
    if (!field.dispatchEvent(event)) return
    if (field instanceof HTMLTextAreaElement) typeInto(field, '\n')
    else field.form?.requestSubmit()
  } finally {
    sending = false
  }
}

/**
 * A touch keyboard for lanes without a physical one: opens when a text field is touched, types into the focused field,
 * takes space at the bottom, and closes when a physical keyboard is used.
 */
export function TouchKeyboard() {
  const [field, hide] = useTouchedField()
  if (!field) return null
  return createPortal(
    <Keys key={field.inputMode === 'numeric' ? 'digits' : 'text'} field={field} hide={hide} />,
    document.body,
  )
}

function Keys({ field, hide }: { readonly field: TextField; readonly hide: () => void }) {
  const { t } = useI18n()
  const locale = useLocale() as Locale
  const digits = field.inputMode === 'numeric'
  const [signs, setSigns] = useState(false)
  const [shift, setShift] = useState(field.autocapitalize === 'characters')
  const layer: TouchLayer = digits ? 'digits' : signs ? 'signs' : 'letters'
  const rows = touchRows(locale, layer)
  useEffect(() => {
    const { style } = document.documentElement
    style.setProperty('--keys-rows', String(rows.length))
    document.documentElement.dataset['keys'] = 'shown'
    field.scrollIntoView({ block: 'nearest' })
    return () => {
      delete document.documentElement.dataset['keys']
    }
  }, [field, rows.length])

  const write = (text: string): void => {
    typeInto(field, shift ? text.toLocaleUpperCase(locale) : text)
    if (field.autocapitalize !== 'characters') setShift(false)
  }
  const press: Record<NamedKey, () => void> = {
    shift: () => setShift((known) => !known),
    erase: () => eraseIn(field),
    layer: () => setSigns((known) => !known),
    space: () => write(' '),
    enter: () => enter(field),
    hide,
  }
  const face: Record<NamedKey, ReactNode> = {
    shift: <ArrowBigUp />,
    erase: <Delete />,
    layer: t(signs ? 'touchKeys.letters' : 'touchKeys.signs'),
    space: t('touchKeys.space'),
    enter: <CornerDownLeft />,
    hide: <KeyboardOff />,
  }
  const keyOf = (key: TouchKey, index: number) => {
    const own = { preventFocusOnPress: true, excludeFromTabOrder: true } as const
    if (key.kind === 'text')
      return (
        <Button key={index} {...own} onPress={() => write(key.text)}>
          {shift ? key.text.toLocaleUpperCase(locale) : key.text}
        </Button>
      )
    const texts = typeof face[key.kind] === 'string'
    return (
      <span key={index} data-wide={key.wide}>
        <Button
          {...own}
          wide
          aria-label={
            key.kind === 'layer'
              ? `${t(signs ? 'touchKeys.letters' : 'touchKeys.signs')}, ${t('touchKeys.layerName')}`
              : t(`touchKeys.${key.kind}Name`)
          }
          {...(key.kind === 'shift' ? { 'aria-pressed': shift } : {})}
          look={key.kind === 'enter' || (key.kind === 'shift' && shift) ? 'primary' : 'plain'}
          {...(texts ? {} : { icon: face[key.kind] })}
          onPress={press[key.kind]}
        >
          {texts ? face[key.kind] : undefined}
        </Button>
      </span>
    )
  }
  return (
    <div
      className={styles['keys']}
      role="group"
      aria-label={t('touchKeys.name')}
      data-react-aria-top-layer="true"
      ref={keepFocus}
    >
      {rows.map((row, index) => (
        <div key={index} className={styles['row']}>
          {row.map(keyOf)}
        </div>
      ))}
    </div>
  )
}

/**
 * Keys of the touch keyboard: ten in a row, the maximum for a finger on the smallest screen. Keys without text have a
 * name.
 */
export type NamedKey = 'shift' | 'erase' | 'layer' | 'space' | 'enter' | 'hide'
export type TouchKey =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: NamedKey; readonly wide?: number }
export type TouchLayer = 'letters' | 'signs' | 'digits'

const texts = (row: string): TouchKey[] => [...row].map((text) => ({ kind: 'text', text }))
const key = (kind: NamedKey, wide = 1): TouchKey => ({ kind, wide })
const DIGITS = texts('1234567890')

const SIGNS = [texts('/&#@+%$()*'), [key('shift'), ...texts(':;!?_"=°'), key('erase')]] as const
/** Number of columns for the space bar and the signs next to it. */
const MIDDLE = 6

const lastRow = (left: string, right: string): TouchKey[] => [
  key('layer'),
  ...texts(left),
  key('space', MIDDLE - left.length - right.length),
  ...texts(right),
  key('enter', 2),
  key('hide'),
]

const LAYOUTS = perLocale((locale) => {
  const {
    letters: [upper, home, lower],
    besideSpace: nextToSpace,
    accents,
  } = LANGUAGES[locale].touch
  return {
    letters: [
      DIGITS,
      texts(upper),
      texts(home),
      [key('shift'), ...texts(lower), key('erase')],
      lastRow(...nextToSpace),
    ],
    signs: [DIGITS, texts(accents), ...SIGNS, lastRow(',', '.')],
  }
})

const ONLY_DIGITS: readonly (readonly TouchKey[])[] = [DIGITS, [key('erase', 4), key('enter', 4), key('hide', 2)]]

export const touchRows = (locale: Locale, layer: TouchLayer): readonly (readonly TouchKey[])[] =>
  layer === 'digits' ? ONLY_DIGITS : LAYOUTS[locale][layer]
