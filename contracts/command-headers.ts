/**
 * The header of the IETF draft: on every call that changes something, made by the window and kept until it is answered.
 */
export const KEY_HEADER = 'idempotency-key'
/** On an answer that was given before. */
export const REPLAYED_HEADER = 'idempotent-replayed'
/** What a key looks like. */
export const COMMAND_KEY = /^[\w-]{16,64}$/
