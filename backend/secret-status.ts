import type { Clock } from './clock.ts'

/** Whether the identity provider refuses this lane's client secret. In memory: the next start asks anew. */
export interface SecretStatus {
  /** Epoch ms; null while it is not refused, or was not asked. */
  readonly refusedSince: number | null
  /** What the identity provider said of the secret. Not called when nobody answered: that says nothing of it. */
  onResponse(refused: boolean): void
  onChange(listener: () => void): void
}

export function createSecretStatus({ clock }: { clock: Pick<Clock, 'now'> }): SecretStatus {
  let refusedSince: number | null = null
  const listeners: (() => void)[] = []
  return {
    get refusedSince() {
      return refusedSince
    },
    onResponse(refused) {
      if (refused === (refusedSince !== null)) return
      refusedSince = refused ? clock.now() : null
      for (const listener of listeners) listener()
    },
    onChange: (listener) => {
      listeners.push(listener)
    },
  }
}
