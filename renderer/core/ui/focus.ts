import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

/**
 * For a container whose content is replaced: moves the focus to the container when it appears or its content changes
 * while the focus is elsewhere, so that keys keep working there. Put the returned ref on an element with tabIndex -1;
 * `content` identifies the current content.
 */
export function useContainerFocus(content: string): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (place.current && !place.current.contains(document.activeElement)) place.current.focus()
  }, [content])
  return place
}

/**
 * Focuses an element when it appears: before paint, so that no digit typed at once is lost, and again after all
 * effects, because an older dialog keeps the focus until the new one is topmost.
 */
export function useFirstFocus(element: RefObject<HTMLElement | null>, wanted = true): void {
  useLayoutEffect(() => {
    if (wanted) element.current?.focus()
  }, [element, wanted])
  useEffect(() => {
    if (wanted && element.current?.contains(document.activeElement) === false) element.current.focus()
  }, [element, wanted])
}

/** Returns the first invalid field of a form, or the first focusable element in that field. */
function firstInvalid(form: HTMLElement): HTMLElement | null {
  const wrong = form.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]')
  if (!wrong) return null
  const focusable = 'input:not([disabled]), textarea:not([disabled]), [tabindex="0"]'
  return wrong.matches(focusable) ? wrong : wrong.querySelector<HTMLElement>(focusable)
}

/**
 * Returns a ref for a form, and moves the focus to its first error after each incomplete submit (`tries` counts them).
 */
export function useWrongFocus<Form extends HTMLElement>(tries: number): RefObject<Form | null> {
  const form = useRef<Form>(null)
  useEffect(() => {
    if (tries > 0 && form.current) firstInvalid(form.current)?.focus()
  }, [tries])
  return form
}

interface Tries<Form extends HTMLElement> {
  readonly tried: boolean
  readonly attempt: () => void
  readonly form: RefObject<Form | null>
}

export function useTries<Form extends HTMLElement = HTMLFormElement>(): Tries<Form> {
  const [tries, setTries] = useState(0)
  return { tried: tries > 0, attempt: () => setTries((count) => count + 1), form: useWrongFocus<Form>(tries) }
}
