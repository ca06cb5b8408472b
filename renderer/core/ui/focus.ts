import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

/**
 * For a place whose content is exchanged: when the button that was pressed is gone with the old content, the focus goes
 * to the place itself, so that keys go on working there. Put the ref on an element with tabIndex -1;
 * `content` names what it shows now.
 */
export function useKeptFocus(content: string): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (place.current && !place.current.contains(document.activeElement)) place.current.focus()
  }, [content])
  return place
}

/**
 * Gives an element the keyboard as it comes. Before it is painted: whoever sees it types, and a digit that goes
 * elsewhere is lost. And once more when everything stands: a dialog below it keeps the focus until the one around it is
 * the topmost.
 */
export function useFirstFocus(element: RefObject<HTMLElement | null>, wanted = true): void {
  useLayoutEffect(() => {
    if (wanted) element.current?.focus()
  }, [element, wanted])
  useEffect(() => {
    if (wanted && element.current?.contains(document.activeElement) === false) element.current.focus()
  }, [element, wanted])
}

/** What of a form is wrong first: the field itself, or the first place within it that takes the focus. */
function firstInvalid(form: HTMLElement): HTMLElement | null {
  const wrong = form.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]')
  if (!wrong) return null
  const takes = 'input:not([disabled]), textarea:not([disabled]), [tabindex="0"]'
  return wrong.matches(takes) ? wrong : wrong.querySelector<HTMLElement>(takes)
}

/** The ref of a form that was sent with something missing so many times: each time the focus goes to what is wrong. */
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

/** Whether a form was sent with something missing. Each time the focus goes to what is wrong: nobody looks for it. */
export function useTries<Form extends HTMLElement = HTMLFormElement>(): Tries<Form> {
  const [tries, setTries] = useState(0)
  return { tried: tries > 0, attempt: () => setTries((count) => count + 1), form: useWrongFocus<Form>(tries) }
}
