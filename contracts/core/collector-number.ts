/**
 * Collector account number: 11 digits, the first an 8 (specification 3 §8). This module does not import zod, because
 * the window loads it.
 */
export const COLLECTOR_NUMBER_PATTERN = /^8\d{10}$/
