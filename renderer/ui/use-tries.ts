import { useEffect, useRef, useState, type RefObject } from 'react'

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
