import { ArrowLeft, Search } from 'lucide-react'
import { useState } from 'react'
import { FieldError, Form, Input, Label, TextField } from 'react-aria-components'
import { ApiProblem } from '../../core/api/problem.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { type LazyText, problemText } from '../../core/state/notices.ts'
import { ActionButton, Button } from '../../core/ui/button.tsx'
import { useTries } from '../../core/ui/focus.ts'
import styles from './tender.module.css'

interface CodeFormProps {
  readonly texts: { readonly title: string; readonly scan: string; readonly code: string; readonly show: string }
  /** Least and most characters of a code. */
  readonly least: number
  readonly most: number
  readonly capitals?: boolean
  /** Throws ApiProblem, which is shown at the field. */
  readonly present: (code: string) => Promise<unknown>
}

/** Asks for the code of a payment that is scanned or typed: a voucher, or a manufacturer's coupon. */
export function CodeForm({ texts, least, most, capitals = false, present }: CodeFormProps) {
  const i18n = useI18n()
  const [code, setCode] = useState('')
  const [asking, setAsking] = useState(false)
  const [wrong, setWrong] = useState<LazyText | null>(null)
  const { attempt, form } = useTries()
  const isTooShort = code.trim().length < least
  const show = async (): Promise<void> => {
    if (isTooShort || asking) return
    setAsking(true)
    try {
      await present(code.trim())
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      setWrong(() => problemText(error))
      setAsking(false)
      attempt()
    }
  }
  return (
    <Form
      ref={form}
      className={`stack-3 with-foot min-height-0 ${styles['form']}`}
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        void show()
      }}
    >
      <div className={`column-3 between min-height-0 scroll panel pad-4 ${styles['card']}`}>
        <h2 className="text-xl">{texts.title}</h2>
        <p className="dim">{texts.scan}</p>
        <TextField
          autoFocus
          value={code}
          onChange={(next) => {
            setCode(next)
            setWrong(null)
          }}
          isInvalid={wrong !== null}
          className={`stack-1 field ringed ${styles['field']}`}
        >
          <Label>{texts.code}</Label>
          <Input
            maxLength={most}
            autoComplete="off"
            spellCheck="false"
            {...(capitals && { autoCapitalize: 'characters' })}
          />
          <FieldError>{wrong?.(i18n)}</FieldError>
        </TextField>
      </div>
      <div className="stack-3 with-start">
        <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
        <Button type="submit" look="primary" size="l" wide icon={<Search />} isDisabled={asking || isTooShort}>
          {texts.show}
        </Button>
      </div>
    </Form>
  )
}
