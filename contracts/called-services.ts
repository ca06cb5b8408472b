/** The services of the program as metrics name them. */
export const CALLED_SERVICES = ['cash', 'issuance', 'offers', 'offerState', 'history'] as const
export const MILES_SERVICES = ['cash', 'issuance'] as const
export const CALL_OUTCOMES = ['answer', 'error', 'silent', 'unsent'] as const
/** Those that are read, and not asked for a while when they do not answer. */
export const READ_SERVICES = ['offers', 'offerState', 'history'] as const
/** What becomes of one send, as the log has it. */
export const SEND_OUTCOMES = ['answer', 'unknown', 'never-sent', 'no-token'] as const
