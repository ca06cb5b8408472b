import { Text } from 'react-aria-components'
import { useI18n } from '../i18n/i18n.ts'
import { notOnPaper } from '../../../contracts/core/printable-text.ts'

export function PaperWarning({ text }: { readonly text: string }) {
  const { t } = useI18n()
  const signs = notOnPaper(text)
  // The element is always rendered, because a live region that appears together with its text is not announced and does
  // not describe the field.
  return (
    <Text slot="description" role="status" className="text-s warn weight-600 anywhere">
      {signs === '' ? '' : t('note.notOnPaper', { signs })}
    </Text>
  )
}
