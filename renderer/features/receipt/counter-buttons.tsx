import { History, Undo2 } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import { useAction } from '../../ui/use-actions.ts'

/** What a customer at the counter may ask for at any moment; none for what the page is about already. */
export function CounterButtons({ look = 'quiet' }: { readonly look?: 'plain' | 'quiet' }) {
  const earlier = useAction('earlier-sales')
  const goodsBack = useAction('return')
  return (
    <>
      {earlier.enabled && <IconButton look={look} label={earlier.label} icon={<History />} onPress={earlier.perform} />}
      {goodsBack.enabled && (
        <IconButton look={look} label={goodsBack.label} icon={<Undo2 />} onPress={goodsBack.perform} />
      )}
    </>
  )
}
